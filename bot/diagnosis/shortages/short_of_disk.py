"""The disks of machines are full, or too slow."""

from bot.core.machines.shortage import short
from bot.core.signals.signal import SignalKind

RULES = (short("short_of_disk", SignalKind.DISK, SignalKind.IO, remedy="clean_disks"),)
