"""The rows behind the figures as files: CSV for everybody, Parquet where pyarrow is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import TYPE_CHECKING

from harness import files
from harness.metrics.rows import run_frame, turn_frame
from harness.secrets import Guard
from harness.secrets.writing import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from harness.metrics.rows import Rows


def write_frames(rows: Rows, folder: Path) -> list[Path]:
    """Write runs and turns into a folder, each file as a whole, and return the files.

    Raises:
        SecretFound: a row looks like it holds a key; the frame that it is in was not written.
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    guard = Guard.of_environment()
    written: list[Path] = []
    for name, frame in (('runs', run_frame(rows)), ('turns', turn_frame(rows))):
        path = folder / f'{name}.csv'
        write_whole(path, frame.to_csv(index=False, lineterminator='\n'), guard)
        written.append(path)
        if find_spec('pyarrow') is not None:
            data = io.BytesIO()
            frame.to_parquet(data, index=False)
            # It holds the same texts as the CSV, which was looked through, but compressed.
            files.write_whole(folder / f'{name}.parquet', data.getvalue())
            written.append(folder / f'{name}.parquet')
    return written
