"""Folders of tables as people export them, of three domains, each with four planted truths.

Every truth has a kind: one names a constant, one compares a number, one goes across three tables, and one is wrong in
5 % of the cases. Keys, separators, dates, numbers and yes and no are written in a different way in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np

Cells = Sequence[object]


@dataclass(frozen=True)
class Folder:
    """Tables by name, with their columns, and what was planted in them."""

    tables: dict[str, dict[str, Cells]]
    planted: dict[str, str]
    separators: dict[str, str] = field(default_factory=dict)

    def save(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        for name, columns in self.tables.items():
            mark = self.separators.get(name, ",")
            rows = [list(columns), *zip(*columns.values(), strict=True)]
            text = "".join(mark.join(_quoted(cell, mark) for cell in row) + "\n" for row in rows)
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        return folder


def _quoted(cell: object, mark: str) -> str:
    text = "" if cell is None else str(cell)
    return f'"{text}"' if mark in text else text


class Draw:
    """Draws cells."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def any(self, words: Sequence[str], count: int) -> list[str]:
        return [words[place] for place in self.numbers(0, len(words), count)]

    def numbers(self, low: int, high: int, count: int) -> list[int]:
        return [int(number) for number in self._rng.integers(low, high, count)]

    def different(self, high: int, count: int) -> list[int]:
        return [int(number) for number in self._rng.choice(high, count, replace=False)]

    def dates(self, form: str, count: int) -> list[str]:
        return [(date(2019, 1, 1) + timedelta(days)).strftime(form) for days in self.numbers(0, 2_000, count)]

    def so(self, share: float, count: int) -> list[bool]:
        return [bool(drawn < share) for drawn in self._rng.random(count)]

    def gaps(self, cells: Cells, word: str = "") -> list[object]:
        return [word if lost else cell for cell, lost in zip(cells, self.so(0.04, len(cells)), strict=True)]


def said(words: tuple[str, str], truths: Iterable[object]) -> list[str]:
    """Words for true and false."""
    return [words[0] if truth else words[1] for truth in truths]


def hospital(seed: int) -> Folder:
    """Whole numbers as keys under another name, a decimal comma in a file with semicolons, and ja and nein."""
    draw = Draw(seed)
    private = draw.so(0.3, 200)
    intensive = [ward % 3 == 0 for ward in range(12)]
    who, where = draw.numbers(0, 200, 600), draw.numbers(0, 12, 600)
    tenths, found = draw.numbers(360, 411, 600), draw.any(["influenza", "fracture", "hernia", "asthma"], 600)
    direct = zip(who, draw.so(0.05, 600), draw.any(["insurer", "cash"], 600), strict=True)
    of = draw.numbers(0, 600, 900)
    tables: dict[str, dict[str, Cells]] = {
        "patients": {
            "patient_no": range(1, 201),
            "surname": draw.any(["Asher", "Boton", "Corby", "Delman", "Eder", "Fox"], 200),
            "born": draw.gaps(draw.dates("%Y-%m-%d", 200)),
            "insurance": said(("private", "public"), private),
            "smoker": draw.gaps(said(("Y", "N"), draw.so(0.3, 200))),
        },
        "doctors": {
            "staff_id": range(501, 531),
            "name": [f"Dr. {letter}{number}" for number, letter in enumerate(draw.any("ABCDEFG", 30))],
            "senior": said(("TRUE", "FALSE"), draw.so(0.4, 30)),
        },
        "wards": {"code": [f"W{n:02}" for n in range(12)], "intensive": said(("1", "0"), intensive)},
        "stays": {
            "stay": [f"ST{number}" for number in range(600)],
            "patient_no": [number + 1 for number in who],
            "ward": [f"W{number:02}" for number in where],
            "attending": [501 + number for number in draw.numbers(0, 30, 600)],
            "admitted": draw.gaps(draw.dates("%d.%m.%Y", 600)),
            "temperature": draw.gaps([f"{number // 10},{number % 10}" for number in tenths]),
            "fever": said(("ja", "nein"), [number >= 385 for number in tenths]),
            "diagnosis": found,
            "isolated": said(("yes", "no"), [each == "influenza" for each in found]),
            "billing": [("insurer" if wrong else "direct") if private[n] else other for n, wrong, other in direct],
        },
        "medications": {
            "id": range(1, 901),
            "stay": [f"ST{number}" for number in of],
            "drug": draw.any(["A10", "B20", "C30"], 900),
            "dose": draw.gaps(draw.numbers(1, 9, 900)),
            "monitored": said(("t", "f"), [intensive[where[number]] for number in of]),
        },
        "visits": {"stay": [f"ST{n}" for n in draw.numbers(0, 600, 300)], "minutes": draw.numbers(5, 120, 300)},
    }
    planted = {
        "constant": "isolated(S) :- diagnosis(S, influenza).",
        "threshold": "fever(S) :- temperature(S, T), T >= 38.5.",
        "three tables": "monitored(M) :- stay(M, S), ward(S, W), intensive(W).",
        "mostly": "billing(S, direct) :- patient_no(S, P), insurance(P, private).",
    }
    return Folder(tables, planted, {"stays": ";"})


def library(seed: int) -> Folder:
    """Small numbers as keys under another name, the month first in dates, NA and ?, a link table, and text."""
    draw = Draw(seed)
    rural = [branch in (1, 4, 6) for branch in range(8)]
    student, category = draw.so(0.4, 150), draw.any(["adult", "child", "senior"], 150)
    isbn = [f"978-{number:05}" for number in draw.different(99_999, 120)]
    at = draw.numbers(0, 8, 400)
    tags, tagged = ("prize", "classic", "film"), draw.different(360, 180)
    which, who, days = draw.numbers(0, 400, 1200), draw.numbers(0, 150, 1200), draw.numbers(1, 60, 1200)
    channels = zip(who, draw.so(0.05, 1200), draw.any(["desk", "phone"], 1200), strict=True)
    tables: dict[str, dict[str, Cells]] = {
        "books": {
            "isbn": isbn,
            "title": [f"The {word} of the Rings, part {n}" for n, word in enumerate(draw.any(["Art", "End"], 120))],
            "genre": draw.any(["novel", "crime", "poetry", "science"], 120),
            "pages": draw.gaps(draw.numbers(80, 900, 120)),
            "lang": draw.gaps(draw.any(["en", "fr", "de"], 120), "NA"),
        },
        "branches": {
            "branch_code": list("NSEWCDFG"),
            "borough": draw.any(["old town", "harbour"], 8),
            "rural": said(("1", "0"), rural),
        },
        "members": {
            "id": range(1, 151),
            "name": [f"{first} Ray{number}" for number, first in enumerate(draw.any(["Ann", "Bob"], 150))],
            "joined": draw.gaps(draw.dates("%m/%d/%Y", 150)),
            "student": said(("true", "false"), student),
            "category": category,
            "reduced": said(("Yes", "No"), [each == "senior" for each in category]),
        },
        "copies": {
            "barcode": [300_000 + 7 * number for number in range(400)],
            "book": draw.any(isbn, 400),
            "located_at": ["NSEWCDFG"[place] for place in at],
            "condition": draw.gaps(draw.any(["good", "worn", "new"], 400), "?"),
        },
        "loans": {
            "loan_no": range(1, 1201),
            "copy": [300_000 + 7 * number for number in which],
            "borrower": [number + 1 for number in who],
            "lent": draw.gaps(draw.dates("%Y-%m-%d", 1200)),
            "days_kept": draw.gaps(days),
            "fined": said(("Y", "N"), [number >= 28 for number in days]),
            "van": said(("yes", "no"), [rural[at[number]] for number in which]),
            "channel": ["app" if student[n] and not wrong else other for n, wrong, other in channels],
        },
        "tags": {"isbn": [isbn[pair // 3] for pair in tagged], "tag": [tags[pair % 3] for pair in tagged]},
    }
    planted = {
        "constant": "reduced(M) :- category(M, senior).",
        "threshold": "fined(L) :- days_kept(L, D), D >= 28.",
        "three tables": "van(L) :- copy(L, C), located_at(C, B), rural(B).",
        "mostly": "channel(L, app) :- borrower(L, M), student(M).",
    }
    return Folder(tables, planted)


def league(seed: int) -> Folder:
    """A key of two columns, a table without one, commas between thousands, and months in letters."""
    draw = Draw(seed)
    towns = ("Aber", "Brig", "Carl", "Derb", "Exe", "Ful", "Gri", "Hull", "Ips", "Kend", "Lei", "Mid", "Nor", "Old")
    clubs = [f"{town}ton" for town in (*towns, "Pre", "Sun")]
    promoted, big = [n % 3 == 0 for n in range(16)], [n % 4 == 1 for n in range(16)]
    position, plays = draw.any(["goalkeeper", "defender", "midfield", "forward"], 220), draw.numbers(0, 16, 220)
    players = [f"pl-{number:04}" for number in draw.different(220, 220)]
    home, ahead = draw.numbers(0, 16, 160), draw.numbers(1, 16, 160)
    shown = zip(home, draw.so(0.05, 160), draw.any(["highlights", "none"], 160), strict=True)
    pairs, minutes = draw.different(160 * 220, 1200), draw.numbers(1, 95, 1200)
    tables: dict[str, dict[str, Cells]] = {
        "clubs": {
            "club": clubs,
            "founded": draw.numbers(1870, 1960, 16),
            "promoted": said(("Yes", "No"), promoted),
            "big": said(("True", "False"), big),
        },
        "players": {
            "player_id": players,
            "club": [clubs[number] for number in plays],
            "position": position,
            "height": draw.gaps([f"{number / 100:.2f}" for number in draw.numbers(160, 200, 220)]),
            "gloves": said(("yes", "no"), [each == "goalkeeper" for each in position]),
        },
        "matches": {
            "match_id": range(2000, 2160),
            "home": [clubs[number] for number in home],
            "away": [clubs[(number + further) % 16] for number, further in zip(home, ahead, strict=True)],
            "played_on": draw.gaps(draw.dates("%d %b %Y", 160)),
            "attendance": draw.gaps([f"{number:,}" for number in draw.numbers(2000, 60_000, 160)]),
            "tv": [("none" if wrong else "live") if big[n] else other for n, wrong, other in shown],
        },
        "appearances": {
            "match_id": [2000 + pair // 220 for pair in pairs],
            "player_id": [players[pair % 220] for pair in pairs],
            "minutes": draw.gaps(minutes),
            "goals": draw.gaps(draw.numbers(0, 3, 1200), "-"),
            "full_bonus": said(("Y", "N"), [number >= 60 for number in minutes]),
            "newcomer": said(("1", "0"), [promoted[plays[pair % 220]] for pair in pairs]),
        },
        "transfers": {
            "player": draw.any(players, 90),
            "from": draw.any(clubs, 90),
            "to": draw.any(clubs, 90),
            "fee": draw.gaps([f"{1000 * number:,}" for number in draw.numbers(10, 900, 90)]),
        },
    }
    planted = {
        "constant": "gloves(P) :- position(P, goalkeeper).",
        "threshold": "full_bonus(A) :- minutes(A, M), M >= 60.",
        "three tables": "newcomer(A) :- player_id(A, P), club(P, C), promoted(C).",
        "mostly": "tv(M, live) :- home(M, C), big(C).",
    }
    return Folder(tables, planted)


DOMAINS = {"hospital": hospital, "library": library, "league": league}
