"""Fixtures of the collecting tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.collect.helpers import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty source root, and a storage root that is not there yet."""
    return Place(tmp_path)
