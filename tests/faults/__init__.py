"""Proof of the promises under crashes, replicas and faults: real processes, wires that can be held and cut."""
