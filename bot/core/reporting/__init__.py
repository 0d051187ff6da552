"""Reports: what recurred over weeks, how many runners would have been enough, and what to change."""
