"""What the system refuses is an error of ours, about the path that was given."""

import os
from pathlib import Path

import pytest

from possilog.errors import FileError, LanguageError
from possilog.files import wide_encoding
from possilog.logic import parse_theory, read_theory, write_theory

THEORY = parse_theory("p(X) :- q(X).")


def test_theories_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"absent.pl: there is no such file or folder; check the path"):
        read_theory(tmp_path / "absent.pl")
    with pytest.raises(FileError, match=r"cannot be read \(Is a directory\)"):
        read_theory(tmp_path)
    with pytest.raises(FileError, match="'' is not a path"):
        read_theory("")


def test_theories_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "absent" / "t.pl", tmp_path / "folder"):
        with pytest.raises(FileError) as caught:
            write_theory(THEORY, path)
        assert str(caught.value).startswith(f"{path}: it cannot be written (")
        assert "/." not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match=r"pipe: it is neither a file nor a folder, .*; name a file"):
        write_theory(THEORY, tmp_path / "pipe")


def test_a_theory_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.pl").symlink_to(tmp_path / "real.pl")
    write_theory(THEORY, tmp_path / "link.pl")
    assert (tmp_path / "link.pl").is_symlink()
    assert read_theory(tmp_path / "real.pl") == THEORY


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_known(tmp_path: Path, encoding: str) -> None:
    content = str(THEORY).encode(encoding)
    assert wide_encoding(content) == encoding
    (tmp_path / "t.pl").write_bytes(content)
    with pytest.raises(
        LanguageError, match=rf"t.pl:1:1: found text in {encoding.upper()}, expected text in UTF-8; save"
    ):
        read_theory(tmp_path / "t.pl")


@pytest.mark.parametrize("content", [b"", b"p", b"p(a)", bytes(100), "p(é)".encode()])
def test_other_bytes_are_not(content: bytes) -> None:
    assert wide_encoding(content) is None
