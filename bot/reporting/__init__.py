"""Reports over days and weeks, on request and once a week."""
