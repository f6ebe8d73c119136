"""Graphs of other systems: RDF, GraphML, networkx, PyKEEN, and CSV files of triples."""

import gzip
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog import check, from_graph, learn, predict, read, write
from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.errors import DataWarning, FormatError, PossilogError, RowError
from possilog.logic import Atom, parse_theory

IRIS = st.text("abcä/#:._", min_size=1, max_size=8).map(lambda text: f"http://x/{text}")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@given(st.lists(st.tuples(IRIS, IRIS, st.booleans(), TEXTS), min_size=1, max_size=5))
@settings(max_examples=budget(50))
def test_ntriples_are_as_rdflib_writes_them(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, bool, str]]
) -> None:
    graph = rdflib.Graph()
    for head, relation, is_literal, text in rows:
        tail = rdflib.Literal(text, lang="en" if len(text) % 2 else None) if is_literal else rdflib.URIRef(head + "x")
        graph.add((rdflib.URIRef(head), rdflib.URIRef(relation), tail))
    path = tmp_path_factory.mktemp("rdf") / "a.nt"
    path.write_bytes(graph.serialize(format="nt").encode())
    expected = Database.of(Atom.ground(str(p), [str(s), str(o)]) for s, p, o in graph)
    assert read(path) == from_graph(graph) == expected


def test_turtle_and_ntriples_say_the_same(tmp_path: Path) -> None:
    turtle, lines = tmp_path / "a.ttl", tmp_path / "a.nt.gz"
    turtle.write_text('@prefix e: <http://e/> .\ne:ann e:knows e:bob ; e:name "Ann"@en .\n')
    lines.write_bytes(
        gzip.compress(b'<http://e/ann> <http://e/knows> <http://e/bob> .\n<http://e/ann> <http://e/name> "\\u0041nn" .')
    )
    assert read(turtle) == read(lines)
    assert len(read(turtle)) == 2


@pytest.mark.parametrize("line", ["<a> <b> .", "<a> <b> <c>", '<a> "b" <c> .', "a\tb\tc", r'<a> <b> "\ud800" .'])
def test_what_is_no_triple_is_told_with_its_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.nt"
    path.write_text(f"<a> <b> <c> .\n{line}\n")
    with pytest.raises(RowError, match=r"bad\.nt:2"):
        read(path)


def test_graphml_is_read_as_networkx_has_it(tmp_path: Path) -> None:
    import networkx

    graph = networkx.Graph()
    graph.add_node("ann", age=7)
    graph.add_edge("ann", "bob", relation="knows")
    graph.add_edge("bob", "eve")
    path = tmp_path / "g.graphml"
    networkx.write_graphml(graph, path)
    expected = facts_of(["age(ann, 7)", "knows(ann, bob)", "knows(bob, ann)", "edge(bob, eve)", "edge(eve, bob)"])
    assert read(path) == from_graph(graph) == facts_of(graph) == expected


def test_large_graphs_are_taken_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As is what is given again, which a graph has once: no remark is made on that."""
    for module in ("rdf", "intake"):
        monkeypatch.setattr(f"possilog.data.reading.{module}._BATCH", 7)
    edges = [(f"n{number % 50}", f"n{number * 7 % 31}") for number in range(3_000)]
    expected = Database.of(Atom.ground("r", edge) for edge in edges)
    rows = [f'<edge source="{one}" target="{two}"><data key="k"> r </data></edge>\n' for one, two in edges]
    (tmp_path / "a.graphml").write_text(
        f'<graphml><graph>{"".join(rows)}<node id="n1"><graph><edge source="x" target="y"/></graph></node></graph>'
        '<key id="k" attr.name="relation"/></graphml>'
    )
    (tmp_path / "a.ttl").write_text("@prefix : <> .\n" + "".join(f":{one} :r :{two} .\n" for one, two in edges))
    assert read(tmp_path / "a.graphml") == expected
    written = read(tmp_path / "a.ttl")
    assert len(written) == len(expected) and {name.rpartition("/")[2] for name in written.constants} == {
        *expected.constants
    }


def test_edges_of_multigraphs_are_called_by_their_keys_and_further_attributes_are_remarked() -> None:
    import networkx

    graph = networkx.MultiDiGraph()
    graph.add_edge(1, 2, key="likes", weight=3)
    graph.add_edge(1, 2)
    with pytest.warns(DataWarning, match="1 edge has attributes that are left out"):
        assert from_graph(graph) == facts_of(["likes(1, 2)", "edge(1, 2)"])


@pytest.mark.parametrize(
    "text", ["<graphml", "<svg/>", '<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>', "", "no xml"]
)
def test_what_is_no_graphml_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.graphml"
    path.write_text(text)
    with pytest.raises(PossilogError, match=r"a\.graphml"):
        read(path)


def test_triples_factories_are_taken() -> None:
    factory = SimpleNamespace(
        mapped_triples=np.array([[0, 0, 1]]), entity_id_to_label={0: "ann", 1: "bob"}, relation_id_to_label={0: "likes"}
    )
    assert from_graph(factory) == facts_of(["likes(ann, bob)"])


@pytest.mark.parametrize("header", ["head,relation,tail", "Subject,Predicate,Object"])
def test_a_csv_file_of_triples_is_known_by_its_columns(header: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    path.write_text(f"{header}\nann,likes,bob\nbob,knows,eve\n")
    assert read(path) == facts_of(["likes(ann, bob)", "knows(bob, eve)"])
    (tmp_path / "graph.tsv").write_text("head\trelation\ttail\nann\tlikes\tbob\n")
    assert read(tmp_path / "graph.tsv") == facts_of(["likes(ann, bob)"])


def test_graph_formats_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="read, and not written"):
        write(facts_of(["r(a, b)"]), tmp_path / "a.nt")
    with pytest.raises(FormatError, match="no graph that is known"):
        from_graph(3)


def test_graphs_are_taken_wherever_facts_are() -> None:
    """And not as the list of their nodes."""
    import networkx

    graph = networkx.DiGraph()
    for number in range(30):
        graph.add_edge(f"a{number}", f"b{number}", relation="likes")
        graph.add_edge(f"b{number}", f"a{number}", relation="likes")
    theory = parse_theory("0.9 :: likes(Y, X) :- likes(X, Y).")
    some = networkx.DiGraph()
    some.add_edge("ann", "bob", relation="likes")
    assert [str(one.atom) for one in predict(theory, some).added] == ["likes(bob, ann)"]
    assert check(theory, some).soft[0].violations == 1
    assert learn(graph, width=2).provenance.facts == 60


def test_what_is_half_a_graph_is_none() -> None:
    for half in (SimpleNamespace(edges=[]), SimpleNamespace(nodes=[]), SimpleNamespace(triples=[])):
        with pytest.raises(FormatError, match="no graph that is known"):
            from_graph(half)
