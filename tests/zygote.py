"""Starts product processes quickly: imports the product once, then each process is a fork that runs the command line.

The processes are as real as any: pid, memory and sockets of their own; only importing and compiling is saved.
Run as `python -m tests.zygote`; speaks JSON lines on its pipes. `tests/processes.py` is its client.
"""

import ctypes
import gc
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import bot.adapters
import handlers
from handlers.cli import main

LATER = (
    "anyio._backends._asyncio",
    "apscheduler.executors.asyncio",
    "apscheduler.triggers.interval",
    "encodings.idna",
    "encodings.utf_8_sig",
    "slack_bolt.listener_matcher.async_builtins",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.websockets.auto",
    "uvloop",
)
"""What libraries import only when they are used."""
SELDOM = frozenset({"handlers.mcp.tools", "handlers.tools.remote.assistant"})
"""What a process imports when an assistant asks: 30 MB, which would count as memory of every process."""
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def import_all(package: ModuleType) -> None:
    """Import what is in a package, since commands import what they use only when they run."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__") and module.name not in SELDOM:
            importlib.import_module(module.name)


def make_ready() -> None:
    """Do once what each process would do anew: import, compile the tables of the file and records, read authorities."""
    from bot.adapters.http.connection import usual  # noqa: PLC0415 - after the commands were imported
    from bot.adapters.records import ADAPTERS, SAMPLE  # noqa: PLC0415
    from bot.settings import Table  # noqa: PLC0415

    for name in LATER:
        importlib.import_module(name)
    for table in _tables(Table):
        table.model_rebuild()
    SAMPLE.rebuild()
    for adapter in ADAPTERS.values():
        adapter.rebuild()
    usual()


def _tables(table: type[Any]) -> Iterator[Any]:
    yield table
    for more in table.__subclasses__():
        yield from _tables(more)


def serve() -> None:
    """Answer requests until the pipe closes: what `Zygote.start` sends, and `{"code": pid}`: how it ended."""
    codes: dict[int, int] = {}
    for line in sys.stdin:
        request = json.loads(line)
        _reap(codes)
        if "code" in request:
            answer: object = {"code": codes.get(request["code"])}
        else:
            answer = {"pid": _start(request)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _reap(codes: dict[int, int]) -> None:
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            codes[ended[0]] = os.waitstatus_to_exitcode(ended[1])
    except ChildProcessError:
        return


def _start(request: dict[str, Any]) -> int:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        for descriptor, file in ((1, request["out"]), (2, request["err"])):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(request["cwd"])
        _let_clock_jump()
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        main(request["argv"])
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 1
    finally:
        gc.unfreeze()
        gc.collect()  # as at the end of an interpreter: what nobody closed or awaited is complained of
        sys.stdout.flush()
        os._exit(code)


def _let_clock_jump() -> None:
    """From now on SIGUSR1 sets this process's wall clock an hour ahead, SIGUSR2 an hour back; no other process's."""
    shown, jumped = time.time, {"seconds": 0.0}

    def jump(signum: int, _: object) -> None:
        jumped["seconds"] += 3600.0 if signum == signal.SIGUSR1 else -3600.0

    time.time = lambda: shown() + jumped["seconds"]
    signal.signal(signal.SIGUSR1, jump)
    signal.signal(signal.SIGUSR2, jump)


if __name__ == "__main__":
    import_all(handlers)
    import_all(bot.adapters)
    make_ready()
    gc.freeze()
    serve()
