"""Why a queue queues: one rule a file, pure; `table.py` names them, `rank.py` asks them."""
