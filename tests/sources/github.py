"""GitHub's webhooks for tests: our own payloads in its format, and hands to change them."""

import hmac
import json
from hashlib import sha256
from typing import Any

from tests.sources.payloads import FIXTURES


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / "github" / f"{name}.json").read_text("utf-8"))
    return found


def event(kind: str = "workflow_job_queued", action: str = "", **parts: Any) -> bytes:
    """A payload as GitHub sends it; `parts` are laid over its `workflow_job`, a part of None is left out."""
    whole = recorded(kind)
    job = {**whole.get("workflow_job", {}), **parts}
    changed = {"workflow_job": {key: value for key, value in job.items() if key not in parts or value is not None}}
    return json.dumps({**whole, **(changed if job else {}), **({"action": action} if action else {})}).encode()


def signature(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()
