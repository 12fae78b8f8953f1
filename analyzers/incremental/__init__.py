"""The lazy, incremental view of a tree: what blobs say, what was computed from it, and when that still holds.

Units (`blobs`, `units`) are lowered once per blob; looks outside a file (`looks`) are recorded with their answers; results
(`cells`, `results`, `rounds`) stand while every answer that they read is the same (`sources`, `trust`).
"""
