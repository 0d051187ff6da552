"""The container's health check: exits 0 when the web process, or else the worker, answers /healthz on its port."""

import os
import sys
import urllib.request


def alive(port: str) -> bool:
    """Whether the process that listens on `port` of this container answers with 200 within 2 s."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
            return answer.status == 200
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    ports = (os.environ.get("PORT", "8080"), os.environ.get("TAILBACK_WORKER_PORT", "9464"))
    sys.exit(0 if any(alive(port) for port in ports) else 1)
