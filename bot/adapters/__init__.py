"""The only rooms that touch the network or a disk: each adapter stands for one system outside."""
