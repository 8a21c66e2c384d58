"""Measurements by hand, never part of the test run: `python -m tests.bench [ROOT]` prints a table of ratios."""
