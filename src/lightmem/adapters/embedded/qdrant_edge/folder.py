"""The folder of a Qdrant Edge shard: made, opened, emptied, and known by who filled it."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from lightmem.adapters import qdrant_layout as layout
from lightmem.adapters.embedded.qdrant_edge import convert
from lightmem.errors import IndexUnavailable, LightMemError

#: Points that are copied at a time.
PIECE = 256


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what the engine raises into `IndexUnavailable`."""
    try:
        yield
    except LightMemError:
        raise
    except Exception as exc:  # The engine raises nothing narrower.
        raise IndexUnavailable("the index could not do what was asked") from exc


class EdgeFolder:
    """One shard on disk; every method is called from the index's own thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shard: edge.EdgeShard | None = None

    def opened(self) -> edge.EdgeShard:
        """The shard, for use."""
        if self._shard is None:
            raise IndexUnavailable("the index is not open")
        return self._shard

    def open(self, encoder_id: str, dim: int, token_dim: int) -> None:
        """Load what is there, or make it; refuse what another encoder filled."""
        self._make_private()
        found = self._filled_by()
        if found is not None:
            layout.check_filled_by(found, encoder_id)
        if self._shard is not None:
            return
        if found is None:
            self._check_unused()
            self._create(encoder_id, dim, token_dim)
            return
        self._mend_swap()
        self._shard = self._load()
        if self._deleted.is_file():
            # What deleted points held leaves the disk here, while nobody is served yet.
            self._rewrite(dim, token_dim)
        self._shard.optimize()

    def reset(self, encoder_id: str, dim: int, token_dim: int) -> None:
        """Empty the folder and give it to this encoder."""
        self.close()
        self._make_private()
        self._check_unused()
        # Without this file the rest counts as nothing, should the process end in between.
        self._record.unlink(missing_ok=True)
        self._create(encoder_id, dim, token_dim)

    def flush(self) -> None:
        """Bring the stores to disk, if the folder is open."""
        if self._shard is not None:
            self._shard.flush()

    def note_deleted(self) -> None:
        """Say that the files hold words of points that are deleted, until they are rewritten."""
        self._deleted.touch(mode=0o600)

    def close(self) -> None:
        """Flush and release the folder."""
        if self._shard is not None:
            self._shard.flush()
            self._shard.close()
            self._shard = None

    @property
    def _record(self) -> Path:
        return self._path / "filled_by.json"

    @property
    def _files(self) -> Path:
        return self._path / "shard"

    @property
    def _deleted(self) -> Path:
        return self._path / "deleted"

    def _rewrite(self, dim: int, token_dim: int) -> None:
        """Copy what is there into new files, and put these in the place of the old ones.

        The engine keeps what was deleted in its log and, as long as it is little, in its pages;
        neither can be emptied by itself, since the engine counts its changes by the log.
        """
        new, old = self._path / "shard.new", self._path / "shard.old"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        copy = edge.EdgeShard.create(str(new), convert.config(dim, token_dim))
        for operation in convert.field_indexes():
            copy.update(operation)
        for points in _points(self.opened()):
            copy.update(edge.UpdateOperation.upsert_points(points))
        copy.flush()
        copy.close()
        self.close()
        self._files.rename(old)
        new.rename(self._files)
        self._deleted.unlink()
        shutil.rmtree(old)
        self._shard = self._load()

    def _mend_swap(self) -> None:
        """Finish or take back a rewriting that was broken off."""
        old = self._path / "shard.old"
        if old.is_dir() and not self._files.is_dir():
            old.rename(self._files)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(self._path / "shard.new", ignore_errors=True)

    def _make_private(self) -> None:
        self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.chmod(0o700)

    def _filled_by(self) -> str | None:
        if not self._record.is_file():
            return None
        return str(json.loads(self._record.read_text(encoding="utf-8"))["filled_by"])

    def _load(self) -> edge.EdgeShard:
        try:
            return edge.EdgeShard.load(str(self._files))
        except Exception as exc:  # The engine raises nothing narrower.
            if "WouldBlock" in str(exc):
                raise IndexUnavailable("another process has the index folder open") from exc
            raise IndexUnavailable(
                "the files of the index do not load: run `lightmem reindex` to make them again"
            ) from exc

    def _create(self, encoder_id: str, dim: int, token_dim: int) -> None:
        shutil.rmtree(self._files, ignore_errors=True)
        self._files.mkdir(mode=0o700)
        self._shard = edge.EdgeShard.create(str(self._files), convert.config(dim, token_dim))
        for operation in convert.field_indexes():
            self._shard.update(operation)
        self._shard.flush()
        # Renamed into place last: a folder is whole, or it is made again.
        new = self._record.with_suffix(".new")
        new.write_text(json.dumps({"filled_by": layout.filled_by(encoder_id)}), encoding="utf-8")
        os.replace(new, self._record)

    def _check_unused(self) -> None:
        """Raise when another process holds the engine's lock on files to be removed."""
        if not (self._files / "wal").is_dir():
            return
        try:
            self._load().close()
        except IndexUnavailable as exc:
            if exc.__cause__ is not None and "WouldBlock" in str(exc.__cause__):
                raise


def _points(shard: edge.EdgeShard) -> Iterator[list[edge.Point]]:
    """All points of a shard, whole, in pieces."""
    offset: Any = None
    while True:
        records, offset = shard.scroll(
            edge.ScrollRequest(offset=offset, limit=PIECE, with_payload=True, with_vector=True)
        )
        if records:
            yield [edge.Point(one.id, one.vector or {}, one.payload) for one in records]
        if offset is None:
            return
