"""What the explorer answers, whole: its pages, and its API."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from exploring import exploring
from transcribing import body_of, compare


def test_pages_and_answers_are_what_they_were(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with exploring(tmp_path) as client:

        def ask(line: str) -> str:
            method, path, *body = line.split(" ", 2)
            answer = client.request(method, path, json=json.loads(body[0])) if body else client.request(method, path)
            is_page = "html" in answer.headers.get("content-type", "")
            text = body_of(answer.text) if is_page else answer.text
            if answer.headers.get("content-type", "").startswith("application/json"):
                text = json.dumps(answer.json(), indent=1, ensure_ascii=False)
            # Who changed what is told with the day.
            return f"{answer.status_code}\n" + re.sub(r"(Ann|somebody), [0-9-]{10}", r"\1, TODAY", text)

        compare(Path(__file__).with_name("transcript.txt"), ask, request)
