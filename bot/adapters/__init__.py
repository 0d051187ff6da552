"""Everything that touches the network or a disk; each adapter represents one external system."""
