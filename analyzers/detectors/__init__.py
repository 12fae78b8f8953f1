"""The detectors, in the order in which they run."""

from __future__ import annotations

from analyzers.detectors.leakchecker import LeakChecker
from analyzers.detectors.tracker import Tracker

DETECTORS = (Tracker(), LeakChecker())
