"""The network of machines loses packets."""

from bot.core.machines.shortage import short
from bot.core.signals.signal import SignalKind

RULES = (short("slow_network", SignalKind.NETWORK, remedy="look_at_network"),)
