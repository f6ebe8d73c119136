"""What the explorer's guard does where a refusal comes late."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from possilog.explorer.safety import Refusal, Safety


def test_an_answer_that_has_begun_is_not_begun_again() -> None:
    sent: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise Refusal(413, "too large")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    rules: Any = SimpleNamespace(check=lambda scope: "")
    asyncio.run(Safety(app, rules)({"type": "http", "method": "GET", "headers": []}, receive, send))
    assert sent == ["http.response.start"]
