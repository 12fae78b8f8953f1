"""The detectors, in the order in which they run."""

from __future__ import annotations

from analyzers.detectors.destructors import Destructors
from analyzers.detectors.heapcheck import Heapcheck
from analyzers.detectors.leakchecker import LeakChecker
from analyzers.detectors.resource_leak_checker import ResourceLeakChecker
from analyzers.detectors.tracker import Tracker

DETECTORS = (Tracker(), Heapcheck(), Destructors(), ResourceLeakChecker(), LeakChecker())
