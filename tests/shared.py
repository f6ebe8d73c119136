"""The real data sets, which lie beside the project on some machines."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("POSSILOG_SHARED", Path(__file__).parents[2] / "shared")) / "data"


def shared_data(name: str) -> Path:
    """The path of a data set; the test is skipped where the data sets are not there."""
    if not FOLDER.is_dir():
        pytest.skip("the real data sets are not here: they would be in ../shared/data, or POSSILOG_SHARED says where")
    return FOLDER / name
