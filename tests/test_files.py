"""What the system refuses is an error of ours, about the path that was given."""

import os
from pathlib import Path
from threading import Thread

import pytest

from possilog import files
from possilog.errors import FileError, LanguageError
from possilog.files import check_writable, is_safe_name, read_bytes, replacing, safe_name, wide_encoding
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


ZEROS = {"x000": "utf-32-le", "xx00": "utf-32-le", "0x00": "utf-32-le", "00x0": "utf-32-be", "000x": "utf-32-be"}
ZEROS |= {"00xx": "utf-32-be", "x0x0": "utf-16-le", "0x0x": "utf-16-be"}


def test_where_bytes_are_zero_tells_the_encoding() -> None:
    for number in range(16):
        shape = f"{number:04b}".replace("1", "x")
        content = bytes(ord(letter) - ord("0") for letter in shape)
        assert wide_encoding(content) == ZEROS.get(shape), shape
        assert wide_encoding(content[:3]) is None, shape
        assert wide_encoding(300 * content) == ZEROS.get(shape), shape
    assert wide_encoding(256 * b"x\0x\0" + b"late") == "utf-16-le"


def test_how_long_a_name_may_be() -> None:
    assert is_safe_name("a" * 200) and not is_safe_name("a" * 201)
    assert is_safe_name("é" * 100) and not is_safe_name("é" * 101)
    assert safe_name("a" * 200) == "a" * 200 and safe_name("a" * 201) == "a" * 199
    assert safe_name("é" * 101) == "é" * 99
    assert safe_name("a" * 198 + ". b" + "a" * 9) == "a" * 198
    assert safe_name("..con") == "-con" and safe_name("") == "-"


def test_a_folder_takes_the_place_of_an_empty_one_and_of_no_other(tmp_path: Path) -> None:
    for name in ("fresh", "empty", "full"):
        if name != "fresh":
            (tmp_path / name).mkdir()
        if name == "full":
            (tmp_path / name / "old").touch()
    for name in ("fresh", "empty"):
        with replacing(tmp_path / name) as made:
            made.mkdir()
            (made / "new").touch()
        assert [path.name for path in (tmp_path / name).iterdir()] == ["new"]
    with pytest.raises(FileError, match="full: it cannot be written"), replacing(tmp_path / "full") as made:
        made.mkdir()
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["old"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "fresh", "full"]


def test_what_can_be_written_is_said_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    for wrong, why in {
        tmp_path: "Is a directory",
        tmp_path / "a" / "b": "No such file",
        Path("-"): "no file to",
    }.items():
        with pytest.raises(FileError, match=why):
            check_writable(wrong)


def test_a_file_may_be_read_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_bytes(b"read")
    assert read_bytes("-") == b"read"
    for wrong in ("", "a\0b"):
        with pytest.raises(FileError, match="is not a path; name a file or folder"):
            read_bytes(wrong)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_of_a_pipe_so_much_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files.MOST_PIPED == 268_435_456
    monkeypatch.setattr(files, "MOST_PIPED", 2**21)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for size in (0, 2**21, 2**21 + 1):
        writer = Thread(target=pipe.write_bytes, args=(bytes(size),), daemon=True)
        writer.start()
        if size <= 2**21:
            assert len(read_bytes(pipe)) == size
        else:
            with pytest.raises(FileError, match=r"pipe: it is no file, and gives more than 2 MB; save"):
                read_bytes(pipe)
        writer.join()
