"""Measurements on real code. Nothing here is run by the tests; `make bench` and `make verdicts` call it."""
