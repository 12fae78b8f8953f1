"""How one handle flows through one procedure: the flow functions of Tracker, and what they need.

`scene` holds what all handles of a procedure share, `callees` what its calls do, `flows` the flow function
of every node, `entries` the handles that a caller may pass, `runs` one handle's run from acquisition to exits.
"""
