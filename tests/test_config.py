"""Environment and tailback.toml: whatever is wrong is named at its place, with what to do, and all of it at once."""

from pathlib import Path

import pytest

from bot.config import ConfigError, File, environment, load


def problems(folder: Path, toml: str, **variables: str) -> list[str]:
    path = folder / "mine.toml"
    path.write_text(toml, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load({"TAILBACK_CONFIG": str(path), **variables})
    return [str(problem).removeprefix(f"{path}: ") for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ('[slack]\nchanel = "C1"', "slack.chanel: there is no such setting; did you mean channel?"),
        ("[slak]\nx = 1", "slak: there is no such setting; did you mean slack?"),
        ('[[route]]\nchannel = "C1"\nmach = {}', "route no. 1.mach: there is no such setting; did you mean match?"),
        ('[outside_slack]\nurl_evn = "X"', "outside_slack.url_evn: there is no such setting; did you mean url_env?"),
        ("[timing]\nzzz = 1", "timing.zzz: there is no such setting; check its spelling in"),
        ('\ufeff[slack]\nchanel = "C1"', "slack.chanel: there is no such setting"),
        ('[route]\nchannel = "C1"', "route: is not a list; write its heading as [[route]]"),
        ('[[pool]]\nname = "x"', "pool: is not a table; write its heading as [pool.NAME]"),
        ("[slack]\nchannel = 5", "slack.channel: is not a text; write one in quotes"),
        ('[permissions]\nscale = "S0INFRA"', 'permissions.scale: is not a list; write one in brackets: ["…"]'),
        ('[permissions]\nscale = ["S0INFRA", 2]', "permissions.scale no. 2: is not a text; write one in quotes"),
        ('[[route]]\nmatch = {}\nchannel = "C1"\n[[route]]\nmatch = {}', "route no. 2.channel: is required; add it"),
        ('[[route]]\nmatch = "team"\nchannel = "C1"', "route no. 1.match: is not a table; write names and values, for"),
        ("[pool]\nlinux = 3", "pool.linux: is not a table; write it under a heading in brackets"),
        ('[pool.linux]\nfloor = "few"', "pool.linux.floor: is not a whole number; write digits only, without quotes"),
        ("[pool.linux]\nfloor = -1", "pool.linux.floor: is too small; write 0 or more"),
        *((f'[{kind}."{name}"]\nkind = "x"', f'[{kind}."{name}"]: has no name; write one between the quotes, or delete')
          for kind in ("pool", "metrics", "alertmanager", "pager") for name in ("", " ")),
        ("[report]\nhour = 24", "report.hour: is too large; write 23 or less"),
        ('[report]\nday = "Mon"', "report.day: is not known; write 'monday', 'tuesday', "),
        ('[report]\nzone = "Berlin"', "report.zone: 'Berlin' is no time zone that this machine knows; write for"),
        ('[actions]\nenabled = "perhaps"', "actions.enabled: is neither true nor false; write one of them"),
        ('[timing]\npoll = "soon"', "timing.poll: 'soon' is not a duration; write for example \"90s\""),
        ('[timing]\npoll = "0s"', 'timing.poll: must be longer than 0 s; write for example "30s"'),
        ('[timing]\nlease = "0m"', "timing.lease: must be longer than 0 s"),
        ('[outside_slack]\nkind = "pagerduty"\nurl_env = 1', "pager.outside_slack.url_env: is not a text"),
        (f"a = {'[' * 5000}", "is not valid TOML (maximum recursion depth exceeded"),
        ('[pool."a b"]\n[pool."a b"]', 'the table [pool."a b"] is there twice (at line 2'),
        ("[slack", "is not valid TOML (Expected ']' at the end of a table declaration ("),
    ],
)  # fmt: skip
def test_each_mistake_is_named_with_its_place_and_remedy(toml: str, problem: str, tmp_path: Path) -> None:
    (line,) = problems(tmp_path, toml)
    assert line.startswith(problem)


def test_all_mistakes_of_environment_and_file_are_told_at_once(tmp_path: Path) -> None:
    """Also when a variable is wrong, the file that TAILBACK_CONFIG names is the one that is read."""
    toml = '[slack]\nchanel = "C1"\n[timing]\npoll = "soon"\n[permissions]\nscale = "S0INFRA"\n'
    lines = problems(tmp_path, toml, PORT="eighty", LOG_LEVEL="loud", SLACK_API_URL="slack.com/api")
    assert [problem.split(":")[0] for problem in lines] == [
        "SLACK_API_URL",
        "PORT",
        "LOG_LEVEL",
        "slack.chanel",
        "timing.poll",
        "permissions.scale",
    ]
    assert all("; " in problem for problem in lines)


def test_a_word_from_a_list_is_known_in_any_case(tmp_path: Path) -> None:
    """Libraries disagree on `debug` and `DEBUG`, and days are written with a capital letter."""
    (tmp_path / "tailback.toml").write_text('[report]\nday = "Friday"\n')
    found = load({"TAILBACK_CONFIG": str(tmp_path / "tailback.toml"), "LOG_LEVEL": "debug", "LOG_FORMAT": "JSON"})
    assert (found.env.log_level, found.env.log_format, found.file.report.day) == ("DEBUG", "json", "friday")


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('slack.ca_file = "a\\u0000b"', "slack.ca_file"),
        ('permissions.scale = ["a\\u0000"]', "permissions.scale.0"),
        ('[pool."a\\u0000b"]', "pool.a?b"),
    ],
)
def test_a_nul_character_is_refused_wherever_it_stands(line: str, place: str, tmp_path: Path) -> None:
    """Calls that open files or connections raise ValueError at one, which is no answer to a person."""
    assert problems(tmp_path, line) == [f"{place}: contains a NUL character; remove it"]


@pytest.mark.parametrize(("place", "why"), [("", "Is a directory"), ("file/mine.toml", "Not a directory")])
def test_a_file_that_cannot_be_read_is_no_bug(place: str, why: str, tmp_path: Path) -> None:
    """A folder in its place, or a file in that of its folder; a folder of others is alike (EACCES)."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=rf"cannot be read \({why}\); name a file that Tailback's user may"):
        load({"TAILBACK_CONFIG": str(tmp_path / place)})


def test_what_stands_in_a_secrets_place_is_never_told(tmp_path: Path) -> None:
    """A number where the bot token belongs, a token where a list belongs."""
    lines = problems(
        tmp_path, '[permissions]\nscale = "xoxb-secret"\n[metrics]\nm = "xoxb-secret"\n', PORT="xoxb-secret"
    )
    assert len(lines) == 3
    with pytest.raises(ConfigError) as caught:
        load({}).secret("xoxb-secret")  # pasted where the name of its variable belongs
    assert "xoxb" not in " ".join([*lines, *map(str, caught.value.problems)])


def test_what_is_right_can_be_read_beside_what_is_wrong(tmp_path: Path) -> None:
    """So that a later look finds the rest in the same go; a pool whose source is unclear is left out."""
    path = tmp_path / "tailback.toml"
    pools = '[metrics.m]\nkind = "x"\n[pool.a]\nfloor = "x"\n[pool.b]\nmetrics = "m"\n'
    path.write_text(f'[timing]\npoll = "soon"\n{pools}')
    with pytest.raises(ConfigError) as caught:
        load({"TAILBACK_CONFIG": str(path), "PORT": "eighty", "LOG_LEVEL": "DEBUG"})
    rest = caught.value.readable
    assert rest is not None
    assert (rest.env.port, rest.env.log_level, list(rest.file.pool)) == (8080, "DEBUG", ["b"])
    assert rest.file.timing.poll == File().timing.poll
    path.write_text('metrics = 3\n[pool.b]\nmetrics = "m"\n')
    with pytest.raises(ConfigError) as caught:
        load({"TAILBACK_CONFIG": str(path)})
    assert caught.value.readable is not None
    assert (caught.value.readable.file.metrics, caught.value.readable.file.pool) == ({}, {})


def test_a_command_that_asks_elsewhere_needs_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a broken one stop it; a wrong variable does."""
    (tmp_path / "tailback.toml").write_text("[broken")
    monkeypatch.setenv("TAILBACK_CONFIG", str(tmp_path / "tailback.toml"))
    monkeypatch.setenv("TAILBACK_URL", "https://tailback.example/")
    assert environment().tailback_url == "https://tailback.example"
    monkeypatch.setenv("TAILBACK_URL", "tailback.example")
    with pytest.raises(ConfigError, match="TAILBACK_URL"):
        environment()
