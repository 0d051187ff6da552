"""The layout that the rules enforce: packages and their layers, and every exception with its reason.

Imports go down: a package may import itself and what lies in the layers below it, never a neighbor in its own layer.
"""

PURE = ("bot.core", "bot.sources", "bot.diagnosis", "bot.views")
PURE_NAMES, PURE_LIBRARIES = frozenset({"to_json"}), frozenset({"numpy"})
"""What they may import from a library, and libraries of arithmetic alone: pydantic's encoder takes a fifth of the
standard library's time, and numpy walks all states of a queue at once."""
BEHAVIORS = (
    "bot.incidents",
    "bot.scaling",
    "bot.silencing",
    "bot.diagnosing",
    "bot.measuring",
    "bot.warnings",
    "bot.reporting",
    "bot.jobs",
    "bot.maintenance",
    "bot.people",
)
GROUND = ("bot.ports", "bot.config", "bot.sources", "bot.diagnosis", "bot.views")
LAYERS = (
    ("bot.core",),
    ("bot.settings", "bot.pool_settings", "bot.wrong_settings", "bot.api_settings", "bot.environment"),
    GROUND,
    ("bot.context",),
    ("bot.posting",),
    ("bot.notifications",),
    ("bot.requests",),
    BEHAVIORS,
    ("bot.registry",),
)
"""Lowest first. Beside them stand the adapters and the playground, above all of them the handlers."""
BESIDE = ("bot.adapters", "bot.playground")
HANDLERS = "handlers"

NEIGHBORS: dict[tuple[str, str], str] = {
    ("bot.wrong_settings", "bot.settings"): "it tells of the validators' own errors",
    ("bot.api_settings", "bot.settings"): "a table like the others, in a file of its own",
    ("bot.environment", "bot.settings"): "the variables are a table too",
    ("bot.environment", "bot.wrong_settings"): "one validator has words of its own",
    ("bot.pool_settings", "bot.settings"): "its tables are made of the same parts",
    ("bot.incidents.actions.file_issue", "bot.reporting.follow_ups"): "an issue has what the report proposes",
    ("bot.maintenance.alert_on_waits", "bot.incidents.intake"): "an alert of our own is taken in as a delivery is",
    ("bot.maintenance.resync", "bot.incidents.intake"): "what a delivery missed is taken in as a delivery is",
}
"""(importing module, imported module) of two packages in one layer: why it may."""

CIRCLES: dict[str, str] = {
    "bot.playground.fleet": "the simulated fleet's parts still know one another; opened when somebody changes them",
    "bot.playground.slack": "so do those of the local workspace",
}
"""The packages whose folders and modules may import one another in a circle, with the reason."""

WIRING = ("handlers.wiring", "handlers.wiring_tools")
"""The modules that choose adapters and hand them to the rest."""
PLAYGROUND_USERS = (
    *("handlers.tools.commands", "handlers.tools.demo", "handlers.tools.demo_product", "handlers.tools.demo_workspace"),
    *("handlers.tools.replay", "handlers.tools.player"),
)
"""The modules that may open the playground; the processes of an installation are not among them."""
LAZY = (
    *("handlers.__main__", "handlers.cli", "handlers.terminal", "handlers.tools.cli_tools", "handlers.tools.commands"),
    "handlers.tools.remote.cli_remote",
    *(
        "handlers.mcp.endpoint",
        "handlers.run",
        "handlers.wiring",
        "handlers.tools.demo",
        "bot.adapters.sns",
        "bot.adapters.github.settings",
        "bot.wrong_settings",
        "bot.core.forecast.model",
        "bot.diagnosis.work.inferred",
    ),
)
"""The modules that import what a command or process uses when it needs it, so that all start quickly and stay small."""
CLOCK_READERS = ("handlers.logs", "handlers.machine", "handlers.wiring", "bot.config", "bot.adapters.loop.turns")
"""The modules that may read the clock and the environment; the last one measures its own work, in any world."""
CATCH_ALL = ("handlers", "bot.playground")
"""The packages that may catch every exception."""
LIBRARIES = {
    "httpx": ("bot.adapters",),
    "redis": ("bot.adapters",),
    "boto3": ("bot.adapters",),
    "botocore": ("bot.adapters",),
    "cryptography": ("bot.adapters",),
    "jwt": ("bot.adapters",),
    "PIL": ("bot.adapters",),
    "slack_bolt": ("handlers", "bot.playground"),
    "apscheduler": ("handlers", "bot.playground"),
    "starlette": ("handlers", "bot.playground"),
    "mcp": ("handlers.mcp.tools",),
    "mcp_types": ("handlers.mcp.tools",),
}
"""The packages that may import a library."""

REGISTERED = (
    "bot.sources",
    "bot.diagnosis",
    "bot.adapters.metrics",
    "bot.adapters.scalers",
    "bot.adapters.alertmanagers",
)
"""Folders of like things, one module each, that a registry names: their own, or that of the adapters."""
LISTS = (*(folder for folder in REGISTERED if folder != "bot.diagnosis"), "bot.views.words")
"""Folders of like things: they may hold more modules than others; the causes have rooms."""
REGISTRIES = ("bot.registry", "bot.sources.registry", "bot.diagnosis.registry", "bot.adapters.registry")
"""The modules that name every action, cause, source and integration."""
SHARED_TESTS = {"tests/diagnosis/test_rules.py": ("bot.diagnosis", "ROWS")}
"""Test file: the package whose modules it tests, and the table in it that has rows for each of them by its name."""

TEXT_READERS: dict[str, str] = {
    "bot.context.save": "names of sets, such as watch:POOL",
    "bot.core.alert": "keys of groups, and texts that were cut",
    "bot.core.alert_holder": "addresses of Alertmanagers",
    "bot.core.durations": "durations and time zones that people and configuration files give",
    "bot.core.jobs.follow": "values of buttons, job.ADDRESS",
    "bot.core.pool.early_warning": "message keys, such as early/TIME/POOL",
    "bot.core.pool.history": "the compact rows of its own record",
    "bot.core.reporting.issue": "the marker in the text of an issue",
    "bot.core.requests.interaction": "request ids, INCIDENT.HASH",
    "bot.environment": "variables with several values",
    "bot.config": "names of variables",
    "bot.diagnosis.assigning.hosted": "labels of the CI provider's own machines",
    "bot.diagnosis.machines.refused": "error codes of the clouds",
    "bot.incidents.intake": "index values, and keys of groups",
    "bot.maintenance.repair_threads": "message keys and index values",
    "bot.people.handover": "the mention that a person typed",
    "bot.requests.permission": "Slack ids: a group begins with S",
    "bot.silencing.list_silences": "the tag in a silence's comment, [tailback ID]",
    "bot.wrong_settings": "pydantic's kinds of errors, and locations in tailback.toml",
    "handlers.api.endpoints": "parameters of a request",
    "handlers.api.http": "paths and headers of a request",
    "handlers.mcp.tools": "the public address",
    "handlers.tools.commands": "the name of the program",
    "handlers.http.github": "content types",
    "handlers.http.health": "paths",
    "handlers.machine": "lines of .env",
    "handlers.logs": "log lines of libraries, and secrets in any text",
    "handlers.slack_app.interactions": "action ids and the words that a person typed",
    "handlers.doctor.check_slips": "tokens, and names of variables",
    "handlers.doctor.check_settings": "tokens, addresses and ids of the configuration",
    "handlers.tools.demo_product": "addresses",
    "handlers.tools.init.init": "what a person answers",
    "handlers.tools.init.questions": "what a person answers",
    "handlers.slack_app.manifest": "addresses",
    "handlers.tools.player": "what a recorded person typed",
    "handlers.tools.records": "links that a person gives",
    "handlers.tools.send": "paths of files",
}
"""Module outside sources, adapters and views that takes text apart: whose text it is."""

WORDED_TESTS = {
    "tests.views": "all that is drawn",
    "tests.handlers": "what commands, pages and Slack's endpoints answer",
    "tests.journeys": "what a person reads from the alert to the end",
    "tests.playground": "the page of the demo",
    "tests.reports": "the conclusion that a public report asks for",
    "tests.faults": "what the thread says after a fault",
    "tests.security": "refusals, and what reaches whom",
    "tests.adapters": "what pagers are sent, and the name of the cause that a query tells",
    "tests.integrations": "the answer to a request that meets a real back end",
    "tests.bench": "headings of the tables",
    "tests.test_docs_messages": "sentences that the docs quote",
}
"""Tests that compare sentences of bot/views: what of it people read there."""

LONGEST_FILE = 299
LONGEST_FUNCTION = 39
MOST_MODULES = 12
LEAST_WORDS = 4
"""A string literal of so many words is a sentence."""
