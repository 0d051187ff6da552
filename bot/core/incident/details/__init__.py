"""The content of timeline entries as ids and values; `bot/views/words/timeline.py` has the words.

Each class has its own `kind` in stored entries. Durations are seconds, times epoch seconds, sizes runners. None is
unknown, not zero.
"""
