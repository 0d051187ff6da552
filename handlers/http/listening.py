"""The listening socket of a server process, and the end of its connections while it is being stopped."""

import socket
from collections.abc import Callable
from errno import EACCES, EADDRINUSE

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.config import unusable

RECEIVE_BYTES = 32 * 1024
"""What a connection may have sent before it is read, in the kernel and as one piece in this process."""
_PORT_AT_FAULT = {EADDRINUSE: "another program may be using it", EACCES: "Permission denied"}


def listen_on(host: str, port: int, variable: str, host_variable: str = "HOST") -> socket.socket:
    """A listening socket; uvicorn would exit by itself. Raises ConfigError that names the variable at fault."""
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        made = socket.create_server((host, port), family=family)
    except OSError as error:
        if error.errno in _PORT_AT_FAULT:
            why = _PORT_AT_FAULT[error.errno]
            remedy = f"set {variable} to a free port above 1023"
            raise unusable(variable, f"cannot listen on {host}:{port} ({why})", remedy, lasts=False) from None
        remedy = "set 127.0.0.1 or, for every address, 0.0.0.0"
        raise unusable(host_variable, f'"{host}" is no address of this machine', remedy) from None
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)  # connections inherit it
    return made


def ending(app: ASGIApp, draining: Callable[[], bool]) -> ASGIApp:
    """The application; while `draining`, each response ends its connection: none is kept when the server stops."""

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        async def last(message: Message) -> None:
            if message["type"] == "http.response.start" and draining():
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        await app(scope, receive, last)

    return answered
