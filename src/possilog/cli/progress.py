"""How far a command is: bars on a terminal, and a line for each phase where standard error goes elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from possilog.progress import Step

__all__ = ["Bars", "progress_bar"]


@contextmanager
def progress_bar(title: str, total: int | None) -> Iterator[Callable[[str], None]]:
    """A bar for some number of steps, which may be unknown; call what it gives after each step, with its name."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda step: progress.update(task, advance=1, description=f"{title}: {step}")


@dataclass
class Bars:
    """Shows the steps of a long job, a bar for each phase, one after the other.

    >>> with Bars(quiet=True) as bars:
    ...     bars.show(Step("reading", 1, 10, "facts.db"))
    """

    quiet: bool = False
    title: Callable[[str], str] = str
    """How a phase is called."""
    lines: bool = False
    """Is a line printed for each phase where there is no terminal? That is for jobs of several phases."""
    _stack: ExitStack = field(default_factory=ExitStack)
    _phase: str = ""
    _told: str = ""
    """The phase that a line was printed for."""
    _steps: int | None = None
    _done: int = 0

    def show(self, step: Step) -> None:
        """Take what the job tells."""
        if self.quiet:
            return
        if (step.phase, step.steps) != (self._phase, self._steps) or step.done < self._done:
            if self.lines and step.phase != self._told and not sys.stderr.isatty():
                print(f"[{self.title(step.phase)}]", file=sys.stderr, flush=True)
                self._told = step.phase
            self.close()
            self._advance = self._stack.enter_context(progress_bar(self.title(step.phase), step.steps))
            self._phase, self._steps, self._done = step.phase, step.steps, 0
        # Where the number of steps is not known, what is happening is a step.
        for _ in range(bool(step.doing) if step.steps is None else step.done - self._done):
            self._advance(step.doing)
        self._done = step.done

    def close(self) -> None:
        """Take the bar away."""
        self._stack.close()
        self._phase = ""

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
