"""Java syntax to IR, one file at a time: see `unit`."""
