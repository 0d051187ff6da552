"""The wiring: settings that are read again while Tailback runs, and never a broken file."""

import asyncio
import os
from pathlib import Path

import pytest

from bot.config import Environment, Settings, read_file
from bot.ports import Refused
from bot.requests.permission import check_actions_enabled
from handlers.wiring import Runtime
from tests.world import World

PAGER = '[outside_slack]\nkind = "pagerduty"\nurl_env = 1\n'
GOOD = '[slack]\nchannel = "C0CIONCALL"\n'


class Written:
    """A tailback.toml on disk, and the runtime that read it."""

    def __init__(self, folder: Path) -> None:
        """The file is good at first."""
        self.path, self.saved = folder / "tailback.toml", 0
        self.path.write_text(GOOD)
        world = World()
        env = Environment(tailback_config=self.path)
        world.context.settings = Settings(env, read_file(self.path))
        self.runtime = Runtime(world.context, world.store, None)  # type: ignore[arg-type]  # the fake store
        self.runtime.started = world.context.settings.file.of_the_start
        self.reload()

    def save(self, text: str) -> None:
        """Write it, so much later that the file's time tells."""
        self.saved += 1
        self.path.write_text(text)
        os.utime(self.path, (2_000_000_000 + self.saved,) * 2)
        self.reload()

    def reload(self) -> None:
        asyncio.run(self.runtime.reload())

    @property
    def enabled(self) -> bool:
        return self.runtime.context.settings.file.actions.enabled


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path)


def test_the_kill_switch_works_without_a_restart(written: Written) -> None:
    """And back again."""
    written.save(f"{GOOD}[actions]\nenabled = false\n")
    with pytest.raises(Refused, match="disabled"):
        check_actions_enabled(written.runtime.context)
    written.save(GOOD)
    check_actions_enabled(written.runtime.context)


def test_permissions_timing_and_routes_are_taken_over(written: Written) -> None:
    """All that is read afresh each time."""
    more = '[permissions]\nscale = ["U0ANA"]\n[timing]\npoll = "5s"\n[[route]]\nchannel = "C0NEW"\n'
    written.save(GOOD + more)
    file = written.runtime.context.settings.file
    assert (file.permissions.scale, file.timing.poll, file.routes[0].channel) == (["U0ANA"], 5.0, "C0NEW")


@pytest.mark.parametrize(
    "broken",
    [
        "[slack",
        '[slack]\nchannel = "C0"\nchanel = "C1"\n',
        GOOD + '[timing]\npoll = "soon"\n',
        " ",
        "",
        "\ufeff\x00",
        PAGER,
    ],
)
def test_a_broken_or_half_written_file_changes_nothing(
    written: Written, broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above all it does not switch actions on again; the log says once what is wrong with it. None is there for a
    moment ("") when an editor moves a new file into place."""
    written.save(f"{GOOD}[actions]\nenabled = false\n")
    before = written.runtime.context.settings
    if broken:
        written.save(broken)
    else:
        written.path.unlink()
    for _ in range(3):
        written.reload()
    assert written.runtime.context.settings is before
    assert capsys.readouterr().out.count("the old one stays") == 1
    written.save(GOOD)
    assert written.enabled


def test_a_file_that_did_not_change_is_not_read(written: Written) -> None:
    """Unless somebody asks for it."""
    before = written.runtime.context.settings
    for _ in range(3):
        written.reload()
    assert written.runtime.context.settings is before
    written.runtime.forget_file()
    written.reload()
    assert written.runtime.context.settings is not before


def test_a_file_that_would_not_start_is_taken_over_with_a_warning(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    """The kill switch works beside a mistake that only the next start would find, at night."""
    source = '[metrics.p]\nkind = "prometheus"\nurl = "https://p.example.com"\n'
    pool = '[pool.linux]\nmetrics = "p"\nqueued = "q"\nbuzy = "b"\n'
    written.save(f"{GOOD}[actions]\nenabled = false\n{source}{pool}")
    output = capsys.readouterr().out
    assert not written.enabled
    assert "the next start would fail" in output
    assert "buzy" in output


def test_what_only_a_restart_applies_is_named(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever mends a query at night learns why nothing changes; what applies at once needs no word."""
    written.save(f'{GOOD}[timing]\npoll = "5s"\n[pool.linux]\nfloor = 2\n')
    capsys.readouterr()
    written.save(f'{GOOD}[timing]\npoll = "6s"\n[pool.linux]\nfloor = 3\n')
    assert "restart to apply" not in capsys.readouterr().out
    written.save(f'{GOOD}[metrics.p]\nkind = "prometheus"\nurl = "https://p.example.com"\n')
    assert "restart to apply the rest" in (output := capsys.readouterr().out)
    assert "[metrics.p]" in output
