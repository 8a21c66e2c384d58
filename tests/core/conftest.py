"""Fixtures of the core tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.helpers import Maker


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    """An empty storage root that a test fills."""
    return Maker(tmp_path / "root")
