"""Mappings of tables as text: what is written is read back, and what is none is refused in one sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data.tables.files import mapping_text, parse_mapping
from possilog.errors import FormatError
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping, parse_theory


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tables", "a mapping is TOML"),
        (f"missing = {'7' * 5_000}", "a mapping is TOML"),
        (f"missing = [{'[' * 300}{']' * 300}]", "missing"),
        ("[other]", "'other', which means nothing"),
        ("tables = 3", "tables is a table, and not 3"),
        ("[tables.t]\nkey = 3", "is a list of texts"),
        ("[tables.t]\ncolumns = [3]", "is a table, and not 3"),
        ("[tables.t]\ncolumns = [{ becomes = 'value' }]", "is column = "),
        ("[tables.t]\ncolumns = [{ column = 'a', becomes = 'nothing' }]", "it can become reference, value"),
        ("[tables.t]\ncolumns = [{ column = 'a', colour = 'red' }]", "'colour', which means nothing"),
        ("[tables.t]\ncolumns = [{ column = 'a' }, { column = 'a' }]", "two columns would become the predicate 'a'"),
    ],
)
def test_what_is_no_mapping(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_mapping(text, "mapping.toml")
    assert message in str(caught.value) and str(caught.value).startswith("mapping.toml: ")


names = st.text(st.characters(exclude_characters="\ufdd0", exclude_categories=["Cs"]), min_size=1, max_size=5)


@st.composite
def mappings(draw: st.DrawFn) -> TableMapping:
    tables, predicates = [], draw(st.lists(names, unique=True, min_size=20, max_size=20))
    for name in sorted(draw(st.lists(names, unique=True, max_size=3))):
        columns = []
        for _ in range(draw(st.integers(1, 3))):
            becomes = draw(st.sampled_from([kind for kind in Becomes if kind is not Becomes.LEFT_OUT]))
            type = "" if becomes is Becomes.YES else draw(names)
            columns.append(MappedColumn(draw(names), becomes, predicates.pop(), type))
        tables.append(MappedTable(name, draw(names), tuple(draw(st.lists(names, max_size=2))), tuple(columns)))
    return TableMapping(tuple(tables), draw(st.none() | st.lists(names, max_size=2).map(tuple)))


@settings(max_examples=budget(60))
@given(mapping=mappings())
def test_any_mapping_is_read_back(mapping: TableMapping) -> None:
    assert parse_mapping(mapping_text(mapping)) == mapping
    if mapping.tables:
        assert parse_theory("\n".join(mapping.lines)).mapping == mapping
