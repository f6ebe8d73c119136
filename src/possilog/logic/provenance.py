"""Where a theory is from: what stands as comments at the top of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from possilog.logic.theory import comment
from possilog.printing import plural
from possilog.requiring import require_a, require_kind, require_list, require_number, require_whole

__all__ = ["Provenance"]


@dataclass(frozen=True, slots=True, repr=False)
class Provenance:
    """What a theory was made from, by what, and how well it fits. There is no date: the same run writes the same file.

    >>> print(Provenance(("train.db",), 1002, 412, {"width": 3}, log_likelihood=-85554279.19), end="")
    % data: train.db (1,002 facts about 412 constants)
    % parameters: width 3
    % log-likelihood: -85,554,279.19
    """

    data: tuple[str, ...]
    """The files of facts, as they were named."""
    facts: int
    constants: int
    parameters: Mapping[str, object] = field(default_factory=dict)
    """What was asked for, by name."""
    seed: int | None = None
    version: str | None = None
    """Of possilog."""
    log_likelihood: float | None = None
    """Of all k-subsets of the data."""
    remarks: tuple[str, ...] = ()
    """What a reader has to know."""

    def __post_init__(self) -> None:
        require_list("data", self.data, str, 'write ("train.db",)')
        require_list("remarks", self.remarks, str, 'write ("of one part",)')
        require_whole("facts", self.facts)
        require_whole("constants", self.constants)
        require_a("parameters", self.parameters, Mapping)
        require_kind("version", self.version, str)
        if self.seed is not None:
            require_whole("seed", self.seed)
        if self.log_likelihood is not None:
            require_number("log_likelihood", self.log_likelihood)

    def _lines(self) -> Iterator[str]:
        if self.version is not None:
            yield f"made by possilog {self.version}"
        size = " about ".join(self._counts)
        yield f"data: {', '.join(self.data)} ({size})" if self.data else f"data: {size}"
        if self.parameters:
            yield "parameters: " + ", ".join(f"{name} {value}" for name, value in self.parameters.items())
        if self.seed is not None:
            yield f"seed: {self.seed}"
        if self.log_likelihood is not None:
            yield f"log-likelihood: {self.log_likelihood:,.2f}"
        yield from self.remarks

    def __str__(self) -> str:
        return "".join(f"{comment(line)}\n" for line in self._lines())

    @property
    def _counts(self) -> tuple[str, str]:
        return plural(self.facts, "fact"), plural(self.constants, "constant")

    def __repr__(self) -> str:
        return f"<Provenance: {', '.join([', '.join(self.data) or 'no file', *self._counts])}>"
