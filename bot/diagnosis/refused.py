"""Launch requests fail without an error code, or with unknown ones."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement
from bot.diagnosis.refusals import family


def find(facts: Facts) -> Found | None:
    """Failures that no other rule of this kind explains."""
    now = facts.now
    strange = [c for c in now.create_failures_by_code if family(c.name) == "refused"]
    explained = bool(now.create_failures_by_code) and not strange
    if not now.create_failures or explained or (now.creates or 0) > 3 * now.create_failures:
        return None
    seen = [statement("creates_failed", attempts=now.create_failures)]
    if strange:
        seen.append(statement("unknown_codes", codes=tuple(c.name for c in strange)))
    sure = 0.8 if now.creates is not None and now.creates < 0.25 * now.create_failures else 0.6
    return Found(sure, tuple(seen), () if strange else ("create_failures_by_code",))


RULE = Rule(
    "refused",
    find,
    Scaling.NO,
    remedy="read_autoscaler_log",
    needs=("create_failures",),
    outranks=("surge", "limit"),
    shows="create_failures",
)
