"""Notebooks: their cells run in order in one namespace, and what each shows is kept beside it.

``python tests/notebooks.py`` runs those in docs/notebooks again and writes what they show.
"""

from __future__ import annotations

import ast
import json
import re
import tempfile
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "run_notebook", "stored_outputs"]

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


def run_notebook(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What each cell of code prints, and what its last line is, in a folder of its own."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        return [_run(cell, namespace) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run(cell: dict[str, Any], namespace: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse("".join(cell["source"]))
    last = tree.body[-1] if tree.body else None
    printed, outputs, value = StringIO(), list[dict[str, Any]](), None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_") and (html := value._repr_html_()):
            data["text/html"] = _lines(html)
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


def _lines(text: str) -> list[str]:
    return re.sub(r' id="T_\w+"', "", text).splitlines(keepends=True)


def stored_outputs(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What stands in the file."""
    return [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


def main() -> None:
    """Run all notebooks again."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, (cell, outputs) in enumerate(zip(cells, run_notebook(notebook), strict=True), 1):
            cell |= {"outputs": outputs, "execution_count": number}
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
