"""Graphs: GraphML files, and those that other libraries hold in memory. None of these libraries is needed here.

An edge is a fact of its relation, which is one of its attributes (``relation``, ``label``, ``type``, ``predicate``), or
else its key, or ``edge``. What is said of a node is a fact of the attribute, about the node and the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard
from xml.etree import ElementTree

from possilog.data.database import Database
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.rdf import add_rdf
from possilog.data.reading.values import text_of
from possilog.errors import FormatError, RowError, shortened

__all__ = ["from_graph", "is_graph", "read_graphml"]

RELATION = ("relation", "label", "type", "predicate")
"""Attributes that may say what an edge means; the first that an edge has does."""

PLAIN = "edge"
"""The predicate of edges that say nothing."""

_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"

Fact = tuple[str, str, str]
_Element = ElementTree.Element


def from_graph(graph: Any) -> Database:
    """The database of a graph: of networkx, of rdflib, or a triples factory of PyKEEN.

    Parameters
    ----------
    graph : graph
        One of networkx, whose edges are facts of their ``relation`` (or ``label``, ``type``, ``predicate``, or key),
        both ways where it has no directions, and whose nodes' attributes are facts, too; one of rdflib, or of PyKEEN.

    Returns
    -------
    Database
        The facts: predicates with two arguments.

    Raises
    ------
    FormatError
        If it is none of these.
    DataError
        If a node or a value is no constant.

    Examples
    --------
    >>> from networkx import DiGraph
    >>> graph = DiGraph()
    >>> graph.add_edge("ann", "bob", relation="knows")
    >>> print(*from_graph(graph))
    knows(ann, bob)
    """
    intake = Intake()
    source = type(graph).__name__
    if hasattr(graph, "mapped_triples"):
        intake.add_triples(_factory_facts(graph), source)
    elif hasattr(graph, "edges") and hasattr(graph, "nodes"):
        intake.add_triples(_networkx_facts(graph, source, intake), source)
    elif hasattr(graph, "triples") and hasattr(graph, "namespace_manager"):
        add_rdf(graph, source, intake)
    else:
        raise FormatError(f"a {source} is no graph that is known; give one of networkx, rdflib or PyKEEN")
    return intake.finish()


def is_graph(given: object) -> TypeGuard[Any]:
    """Is it a graph of another library?"""
    return any(hasattr(given, name) for name in ("mapped_triples", "namespace_manager")) or (
        hasattr(given, "edges") and hasattr(given, "nodes")
    )


def _factory_facts(factory: Any) -> Iterator[Fact]:
    """Triples in numbers, with the names of the numbers where the factory has some."""
    entities = getattr(factory, "entity_id_to_label", {})
    relations = getattr(factory, "relation_id_to_label", {})
    for head, relation, tail in factory.mapped_triples.tolist():
        yield relations.get(relation, str(relation)), entities.get(head, str(head)), entities.get(tail, str(tail))


def _networkx_facts(graph: Any, source: str, intake: Intake) -> Iterator[Fact]:
    for node, attributes in graph.nodes(data=True):
        for name, value in attributes.items():
            yield str(name), _text(node, source), _text(value, source)
    edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else graph.edges(data=True)
    for head, tail, *key, attributes in edges:
        if not set(attributes) <= set(RELATION):
            intake.remark(source, Kind.EDGE_ATTRIBUTE, f"of {head} and {tail}")
        name = _relation(attributes, *(one for one in key if isinstance(one, str)))
        yield name, _text(head, source), _text(tail, source)
        if not graph.is_directed():
            yield name, _text(tail, source), _text(head, source)


def _relation(attributes: Mapping[str, Any], *others: str) -> str:
    named = [str(attributes[name]) for name in RELATION if attributes.get(name) not in (None, "")]
    return [*named, *filter(None, others), PLAIN][0]


def _text(value: object, source: str) -> str:
    try:
        text = text_of(value)
    except TypeError as error:
        raise RowError(f"{source}: {error}; make it text or a number") from None
    return "" if text is None else text  # such a fact is left out, with a remark


def read_graphml(text: str, source: str, intake: Intake) -> None:
    """Add the nodes' attributes and the edges of a GraphML file."""
    try:
        if "<!ENTITY" in text:  # which may stand for itself a billion times
            raise FormatError(f"{source}: it has a definition of entities, which no GraphML file needs; take it away")
        keys = (key for key, _ in _elements(text, source, "key"))
        names = {key.get("id", ""): key.get("attr.name", key.get("id", "")) for key in keys}
        intake.add_triples(_graphml_facts(text, names, source, intake), source)
    except (ElementTree.ParseError, ValueError) as error:
        raise FormatError(f"{source}: it is no GraphML ({error}); mend it") from None


def _graphml_facts(text: str, names: Mapping[str, str], source: str, intake: Intake) -> Iterator[Fact]:
    for element, graph in _elements(text, source, "node", "edge"):
        said = _data(element, names)
        if _plain(element) == "node":
            for name, value in said.items():
                yield name, element.get("id", ""), value
            continue
        head, tail = element.get("source", ""), element.get("target", "")
        if not set(said) <= set(RELATION):
            intake.remark(source, Kind.EDGE_ATTRIBUTE, f"of {head} and {tail}")
        name = _relation(said, element.get("label", ""))
        yield name, head, tail
        directed = element.get("directed", str(graph.get("edgedefault") != "undirected")).lower()
        if directed == "false":
            yield name, tail, head


_ABOVE = {"key": ["graphml"], "node": ["graphml", "graph"], "edge": ["graphml", "graph"]}
"""In which elements one stands."""

_PIECE = 1 << 16


def _elements(text: str, source: str, *kinds: str) -> Iterator[tuple[_Element, _Element]]:
    """The elements of some kinds, and what each is in. None is kept: all together would take a kilobyte an edge."""
    parser: Any = ElementTree.XMLPullParser(["start", "end"])
    above: list[_Element] = []
    for start in range(0, len(text), _PIECE):
        parser.feed(text[start : start + _PIECE])
        for event, element in parser.read_events():
            if event == "start":
                above.append(element)
                if _plain(above[0]) != "graphml":
                    begins = f"it begins with <{shortened(above[0].tag)}>, and not as GraphML does"
                    raise FormatError(f"{source}: {begins}; is it another format?")
                continue
            above.pop()
            if 0 < len(above) <= 2:
                if _plain(element) in kinds and list(map(_plain, above)) == _ABOVE[_plain(element)]:
                    yield element, above[-1]
                del above[-1][:]
    parser.close()


def _plain(element: _Element) -> str:
    return str(element.tag).removeprefix(_GRAPHML)


def _inside(element: _Element, tag: str) -> list[_Element]:
    return element.findall(f"{_GRAPHML}{tag}") + element.findall(tag)


def _data(element: _Element, names: Mapping[str, str]) -> dict[str, str]:
    """What is said of a node or an edge."""
    found = {names.get(data.get("key", ""), ""): (data.text or "").strip() for data in _inside(element, "data")}
    return {name: value for name, value in found.items() if name and value}
