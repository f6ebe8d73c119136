"""Where results go. A file that possilog did not write is replaced only if the user says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from possilog.errors import FileError, PossilogError
from possilog.files import check_writable, read_bytes, told

__all__ = [
    "check_conclusions_file",
    "check_folder",
    "check_lines_file",
    "check_network_file",
    "check_page_file",
    "check_program_file",
    "check_rule_file",
    "check_theory_file",
]


def check_theory_file(path: str, *, force: bool) -> None:
    """Refuse now what could not be written later, and to replace what is no theory."""
    _check(path, _is_theory, "a theory", force)


def check_network_file(path: str, *, force: bool) -> None:
    """The same for a Markov logic network."""
    _check(path, _is_network, "a Markov logic network", force)


def check_program_file(path: str, beginnings: Iterable[str], *, force: bool) -> None:
    """The same for a program for another system: those that we write begin with certain remarks."""
    ours = tuple(remark.encode() for remark in beginnings)
    _check(path, lambda path: read_bytes(path).startswith(ours), "a program that possilog wrote", force)


def check_conclusions_file(path: str, *, force: bool) -> None:
    """The same for conclusions. Facts and triples may be anybody's, so only a table with certainties is replaced."""
    _check(path, _has_certainties, "a table of conclusions", force)


def check_lines_file(path: str, *, force: bool) -> None:
    """The same for what is predicted of many evidence sets, a line of JSON for each."""
    if not path.lower().endswith(".jsonl"):
        found = f"{path}: of several evidence sets, JSON lines are written"
        raise FileError(f"{found}; name a .jsonl file, or give one set by --evidence")
    _check(path, lambda path: read_bytes(path).startswith(b'{"evidence": '), "a file of predictions", force)


def check_rule_file(path: str, *, force: bool) -> None:
    """The same for a file of rules for ranking, as AnyBURL and AMIE write them."""
    _check(path, _has_rules, "a file of rules", force)


def check_page_file(path: str, *, force: bool) -> None:
    """The same for a report."""
    _check(path, lambda path: b'<meta name="generator" content="possilog">' in read_bytes(path), "a report", force)


def check_folder(path: str, *, force: bool) -> None:
    """Refuse to write among files that belong to something else: an experiment's folder has its work inside."""
    folder = Path(path)
    with told(path, "written"):
        strange = folder.is_dir() and any(folder.iterdir()) and not any((*folder.glob("work"), *folder.glob("*/work")))
    if strange and not force:
        raise FileError(f"{path}: there are files in it, and no experiment; name another folder, or give --force")


def _check(path: str, is_ours: Callable[[str], bool], kind: str, force: bool) -> None:
    check_writable(path)
    if force or not Path(path).exists() or not Path(path).stat().st_size:
        return
    try:
        ours = is_ours(path)
    except (PossilogError, RecursionError):  # whatever it is, it does not read as one of ours
        ours = False
    if not ours:
        raise FileError(f"{path}: it is there, and is not {kind}; name another file, or give --force to replace it")


def _is_theory(path: str) -> bool:
    """Facts read as a theory, too, but are none."""
    from possilog.logic import read_theory

    theory = read_theory(path)
    says = any(not rule.is_hard or rule.clause.body or rule.clause.variables for rule in theory)
    return says or bool(theory.unplaced or theory.banned) or b"#format" in read_bytes(path)


def _has_certainties(path: str) -> bool:
    content = read_bytes(path)
    if content.startswith(b"PAR1"):
        # Parquet names its columns in its last part, before the length of that.
        named = content[-8 - int.from_bytes(content[-8:-4], "little") :]
        return b"predicate" in named and b"certainty" in named
    header = content.partition(b"\n")[0]
    return header.startswith(b"predicate,") and header.endswith((b",certainty", b",certainty,probability,cases,right"))


def _has_rules(path: str) -> bool:
    from possilog.logic import read_theory

    theory = read_theory(path)
    return bool(theory.judged) and not theory.rules


def _is_network(path: str) -> bool:
    from possilog.markov import read_mln

    network = read_mln(path)  # a word by itself declares a predicate, but is anything
    return bool(network.formulas) or any(declared.types for declared in network.declarations)
