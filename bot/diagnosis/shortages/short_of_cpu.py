"""The CPUs of machines are used up."""

from bot.core.machines.shortage import short
from bot.core.signals.signal import SignalKind

RULES = (short("short_of_cpu", SignalKind.CPU, remedy="add_machines_cpu"),)
