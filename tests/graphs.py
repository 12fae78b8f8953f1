"""Random control flow graphs: node 0 is the entry, 1 and 2 the exits."""

from __future__ import annotations

from hypothesis import strategies as st

from analyzers.graphs.cfg import Cfg


@st.composite
def graphs(draw: st.DrawFn, largest: int = 9) -> Cfg:
    """A graph whose inner nodes have one or two successors."""
    count = draw(st.integers(min_value=4, max_value=largest))
    node = st.integers(min_value=1, max_value=count - 1)
    edges = [
        () if each in (1, 2) else tuple(draw(st.lists(node, min_size=1, max_size=2, unique=True)))
        for each in range(count)
    ]
    return Cfg(tuple(edges), tuple(() for _ in edges))
