"""Something that jobs call became slow."""

from bot.core.machines.shortage import short
from bot.core.signals.signal import SignalKind

RULES = (short("slow_service", SignalKind.SERVICE, remedy="repair_service"),)
