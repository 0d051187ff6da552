"""The container's health check: exits 0 when the web process, or else the worker, answers on its port."""

import http.client
import os
import sys
import urllib.error
import urllib.request


def alive(port: str) -> bool:
    """Whether a process on `port` of this container answers within 2 s; the demo has no /healthz and answers 404."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"http://127.0.0.1:{port}/healthz", timeout=2):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except (OSError, http.client.HTTPException):
        return False


if __name__ == "__main__":
    ports = (os.environ.get("PORT", "8080"), os.environ.get("TAILBACK_WORKER_PORT", "9464"))
    sys.exit(0 if any(alive(port) for port in ports) else 1)
