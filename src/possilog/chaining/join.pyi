"""What callers of the joins see, compiled or not."""

from possilog.chaining.store import AtomStore

MAX_TERMS: int

class Join(AtomStore): ...
