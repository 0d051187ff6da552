"""Machines have no memory left, so that jobs are slow or killed."""

from bot.core.machines.shortage import short
from bot.core.signals.signal import SignalKind

RULES = (short("short_of_memory", SignalKind.MEMORY, remedy="add_machines_memory"),)
