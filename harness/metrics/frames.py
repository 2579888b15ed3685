"""The rows behind the figures as files: CSV for everybody, Parquet where pyarrow is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING

from harness.files import write_whole
from harness.metrics.rows import run_frame, turn_frame

if TYPE_CHECKING:
    from pathlib import Path

    from harness.metrics.rows import Rows


def write_frames(rows: Rows, folder: Path) -> list[Path]:
    """Write runs and turns into a folder, each file as a whole, and return the files.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, frame in (('runs', run_frame(rows)), ('turns', turn_frame(rows))):
        path = folder / f'{name}.csv'
        write_whole(path, frame.to_csv(index=False, lineterminator='\n').encode())
        written.append(path)
        if find_spec('pyarrow') is not None:
            data = io.BytesIO()
            frame.to_parquet(data, index=False)
            write_whole(folder / f'{name}.parquet', data.getvalue())
            written.append(folder / f'{name}.parquet')
    return written
