"""What public reports of real fleets describe, played from figures to the thread; each names where it was reported."""
