"""The work itself: more jobs than usual, longer ones, ones that hang; in one pool or in many."""
