"""How commands are declared: an application for each module, and options that come together as one object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

import typer

__all__ = ["new_app", "with_options"]


def new_app(**more: Any) -> typer.Typer:
    """An application, set up as all of ours are."""
    settings = {"add_completion": False, "pretty_exceptions_enable": False, **more}
    return typer.Typer(context_settings={"help_option_names": ["-h", "--help"]}, **settings)


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that are the fields of its parameters' classes, and hand it the objects.

    So an option that many commands have is declared, with its help and its default, in one place: as a field of a
    frozen dataclass, annotated as typer wants it.
    """
    given = inspect.signature(function, eval_str=True).parameters.values()
    objects: dict[str, Any] = {one.name: one.annotation for one in given if is_dataclass(one.annotation)}

    @functools.wraps(function)
    def command(**values: Any) -> None:
        for name, kind in objects.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        function(**values)

    # Typer looks at both. All are keywords, so that what must be given may follow what need not.
    flat = [option for one in given for option in (_options(one.annotation) if one.name in objects else [one])]
    flat = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in flat]
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in flat}
    return command


def _options(kind: Any) -> Iterator[inspect.Parameter]:
    """The fields of a class as parameters; each has a default."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
