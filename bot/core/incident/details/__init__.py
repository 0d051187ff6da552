"""What timeline entries tell, as ids and values; `bot/views/words/timeline.py` puts them into words.

Each class has a `kind` of its own, by which a stored entry is read back. Durations are in seconds, times in epoch
seconds, sizes in runners. None is unknown, which is not zero.
"""
