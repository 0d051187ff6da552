"""The `command` scaler: fixed arguments, no shell, few variables, and nothing left behind when time is up."""

import stat
from pathlib import Path

import pytest

from bot.adapters.scalers.command import build
from bot.ports import Capacity, Failure, Refused, Scaler, Unreachable
from tests.adapters.back_end import BackEnd

PLACE = '[pool."linux".scaler]'


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    return tmp_path / "fleet"


def pool_scaler(fleet: Path, script: str, **more: object) -> Scaler:
    fleet.write_text(f"#!/bin/sh\n{script}\n")
    fleet.chmod(fleet.stat().st_mode | stat.S_IXUSR)
    raw = {"kind": "command", "read": [str(fleet), "size"], "set": [str(fleet), "{target}"], "max": 50, **more}
    return build("linux", PLACE, raw, BackEnd().parts(FLEET_TOKEN="very-secret-token"))[0]


@pytest.mark.parametrize(
    ("printed", "size"),
    [("24", Capacity(24)), ('{"current": 10, "min": 1, "max": 40, "desired": 12}', Capacity(10, 1, 40, 12))],
)
async def test_it_prints_a_number_or_what_the_http_scaler_answers(fleet: Path, printed: str, size: Capacity) -> None:
    assert await pool_scaler(fleet, f"echo '{printed}'").read() == size


@pytest.mark.parametrize("printed", ["", "ten", "-3", "1.5.2", '{"min": 1}', "9" * 12, "\\033[31mred"])
async def test_anything_else_is_no_size(fleet: Path, printed: str) -> None:
    """A guess would make an unsafe target; what it printed is shown, cleaned."""
    with pytest.raises(Unreachable, match="it must print a number or") as caught:
        await pool_scaler(fleet, f"printf '%b' '{printed}'").read()
    assert caught.value.failure is Failure.LATER
    assert "\033" not in str(caught.value)


async def test_placeholders_are_whole_arguments_and_no_shell_reads_them(fleet: Path, tmp_path: Path) -> None:
    """A pool's name is only ever one argument, whatever stands in it."""
    raw = {"set": [str(fleet), "{target}", "{pool}", "{act}", "$(id)", "a b;c", '{"a": 1}']}
    scaler = pool_scaler(fleet, f'for word; do echo "<$word>"; done > {tmp_path}/words', **raw)
    await scaler.set(24, "inc-1.act; rm -rf /")
    assert (tmp_path / "words").read_text().splitlines() == [
        *("<24>", "<linux>", "<inc-1.act; rm -rf />", "<$(id)>", "<a b;c>", '<{"a": 1}>')
    ]


async def test_the_program_sees_only_what_it_was_given(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-made-up")
    more = {"environment": ["FLEET_TOKEN"]}
    await pool_scaler(fleet, f"env > {tmp_path}/env; pwd >> {tmp_path}/env; cat >> {tmp_path}/env", **more).set(24, "a")
    variables = dict(line.partition("=")[::2] for line in (tmp_path / "env").read_text().splitlines())
    assert {*variables} - {"SHLVL", "_", "OLDPWD"} == {"PATH", "LANG", "FLEET_TOKEN", "PWD", "/"}
    assert variables["FLEET_TOKEN"] == "very-secret-token"


async def test_another_exit_code_is_a_refusal_with_its_last_words(fleet: Path) -> None:
    script = "echo connecting >&2; printf 'no \\033[31mroom for %s\\n\\n' $FLEET_TOKEN >&2; exit 3"
    with pytest.raises(Refused) as caught:
        await pool_scaler(fleet, script, environment=["FLEET_TOKEN"]).set(24, "act-1")
    assert str(caught.value) == ("The scaler of linux refused the target 24: exit code 3: no [31mroom for [hidden].")


async def test_a_program_that_was_killed_leaves_doubt(fleet: Path) -> None:
    with pytest.raises(Unreachable, match="killed by signal 9") as caught:
        await pool_scaler(fleet, "kill -9 $$").set(24, "act-1")
    assert caught.value.failure is Failure.UNKNOWN


async def test_a_program_that_is_not_there_is_told_with_its_remedy(fleet: Path) -> None:
    """Nothing was done, and nothing will be until it is mended."""
    scaler = pool_scaler(fleet, "echo 10", read=["/"])
    with pytest.raises(Unreachable, match=r"cannot be started \(Permission denied\); install it, or correct") as caught:
        await scaler.read()
    assert caught.value.failure is Failure.SHAPE
    with pytest.raises(Unreachable, match="No such file"):
        await pool_scaler(fleet, "echo 10", set=[f"{fleet}z", "{target}"]).set(24, "act-1")


async def test_much_output_is_cut(fleet: Path) -> None:
    """Ten megabytes on both sides do not stop it, and are not kept."""
    script = (
        "head -c 10000000 /dev/zero | tr '\\0' x; head -c 10000000 /dev/zero | tr '\\0' y >&2; echo end >&2; exit 1"
    )
    with pytest.raises(Refused) as caught:
        await pool_scaler(fleet, script).set(24, "act-1")
    assert len(str(caught.value)) < 400
    with pytest.raises(Unreachable) as shown:
        await pool_scaler(fleet, "head -c 10000000 /dev/zero | tr '\\0' x").read()
    assert len(str(shown.value)) < 500
