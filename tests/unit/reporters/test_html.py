"""The HTML report: what is on it, that it asks nothing of the network, and how it lies in a real browser."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
from html import unescape
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from analyzers.finding import Role, Step
from bot.report import Report
from bot.reporters import html
from bot.reporters.page import Page
from tests.conftest import require_tool
from tests.unit.reporters import reports

ARTIFACTS = pathlib.Path(__file__).parents[2] / "artifacts"

CHROMIUM = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=4000",
)


class Elements(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def classed(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.tags if name in (attributes.get("class") or "").split()]


def page_of(report: Report) -> str:
    return html.render(report, Page(permalink="https://github.example/shop/blob/2/"))


def test_every_finding_with_its_path_its_proof_and_its_patch() -> None:
    report = reports.review_report()
    page = Elements(page_of(report))
    assert len([tag for tag, _ in page.tags if tag == "article"]) == 3
    steps = sum(len(outcome.finding.witness) for outcome in report.outcomes)
    assert len(page.classed("dot")) == steps
    ids = {attributes.get("id") for _, attributes in page.tags}
    assert {"77629b9b-1", "77629b9b-2", "77629b9b-3"} <= ids
    for words in ("This change introduces 2 leaks", "released only if acquired", "No patch", "1 fixed by this change",
                  "1 silenced", "closed by the pool", "Left out, or not as asked: 2"):
        assert words in page.text
    assert len(page.classed("pair")) >= 6


def test_it_asks_nothing_of_the_network() -> None:
    text = page_of(reports.review_report())
    page = Elements(text)
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object", "embed", "source", "video"}
    assert not any("src" in attributes for _, attributes in page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "\"><img src=x onerror=y>", "</style><b>", "`<i>`"])
def test_text_of_strangers_stays_text(evil: str) -> None:
    finding = msgspec.structs.replace(
        reports.c_finding(), message=evil, procedure=evil, resource=evil,
        witness=(Step(Role.ACQUIRE, reports.c_finding().acquired, evil),),
    )
    fix = msgspec.structs.replace(reports.c_fix(), finding=finding, title=evil)
    report = msgspec.structs.replace(
        reports.review_report(), outcomes=(reports.outcome(finding, fix),), repository=evil, remarks=(evil,),
        sources={"src/table.c": reports.C.replace("naïve", evil.replace("\n", " ")).encode()},
    )
    text = page_of(report)
    assert evil.strip("`") not in text
    assert len([tag for tag, _ in Elements(text).tags if tag == "script"]) == 1
    assert evil.strip("`") in unescape(text)


def test_a_path_through_several_files_and_back() -> None:
    finding = reports.c_finding()
    other = reports.span("src/shop/Settings.java", "out.write(0xfe)")
    steps = (finding.witness[0], Step(Role.CALL, other, "there"), finding.witness[2], finding.witness[1])
    outcome = reports.outcome(msgspec.structs.replace(finding, witness=steps), reports.c_fix())
    page = Elements(page_of(msgspec.structs.replace(reports.review_report(), outcomes=(outcome,))))
    assert [a.get("aria-label") for a in page.classed("code")] == [
        "src/table.c", "src/shop/Settings.java", "src/table.c",
    ]
    assert len(page.classed("top")) == len(page.classed("bottom")) == 3
    assert "goes on at 4" in page.text


def test_a_scan_without_findings() -> None:
    page = Elements(page_of(Report(outcomes=(), repository="shop")))
    assert "No leaks found in shop" in page.text


MEASURE = """
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, root = page.documentElement;
  const box = (element) => { const r = element.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; };
  const shown = (selector) => [...page.querySelectorAll(selector)].filter((e) => e.offsetParent !== null);
  shown("section.path .walk button")[1].click();
  const result = {
    overflow: root.scrollWidth - root.clientWidth,
    outside: shown("article *").filter((e) => box(e)[0] + box(e)[2] > root.clientWidth + 1).length,
    dots: shown(".dot").map(box),
    rails: [...page.querySelector(".code").querySelectorAll(".row")].map((row) =>
      [row.className, frame.contentWindow.getComputedStyle(row.querySelector(".rail"), "::before").content !== "none"]),
    sides: shown(".pair:not(.changed) .before").length,
    here: page.querySelector(".here")?.id ?? "",
    ink: frame.contentWindow.getComputedStyle(page.body).color,
    paper: frame.contentWindow.getComputedStyle(page.body).backgroundColor,
  };
  document.querySelector("pre").textContent = JSON.stringify(result);
};
frame.srcdoc = PAGE;
"""


def measured(tmp_path: pathlib.Path, text: str, width: int, *flags: str) -> dict[str, Any]:
    """Lay the page out in a frame of this width in a real browser, press «Next step», and look."""
    chromium = require_tool("chromium")
    wrapper = tmp_path / "wrapper.html"
    script = MEASURE.replace("PAGE", json.dumps(text).replace("</", "<\\/"))
    wrapper.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body><iframe width="{width}" height="900" style="border:0"></iframe>'
        f"<pre></pre><script>{script}</script>"
    )
    command = [chromium, *CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,1000"]
    done = subprocess.run(
        [*command, "--dump-dom", wrapper.as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    found = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    result: dict[str, Any] = json.loads(unescape(found[1]))
    ARTIFACTS.mkdir(exist_ok=True)
    page = tmp_path / "report.html"
    page.write_text(text)
    picture = ARTIFACTS / f"report-{width}{'-dark' if flags else ''}.png"
    subprocess.run(
        [*command[:-1], f"--window-size={max(width, 500)},2400", f"--screenshot={picture}", page.as_uri()],
        capture_output=True, timeout=120, check=True,
    )
    assert picture.stat().st_size > 20_000
    return result


@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(tmp_path: pathlib.Path, width: int) -> None:
    report = reports.review_report()
    result = measured(tmp_path, page_of(report), width)
    assert result["overflow"] <= 0
    assert result["outside"] == 0
    assert len(result["dots"]) == sum(len(outcome.finding.witness) for outcome in report.outcomes)
    assert all(dot[2] >= 16 and dot[3] >= 16 for dot in result["dots"])
    columns = {round(dot[0]) for dot in result["dots"][:3]}
    assert len(columns) == 1, "the markers of a path stand under each other"
    drawn = [is_drawn for _, is_drawn in result["rails"]]
    first, last = drawn.index(True), len(drawn) - drawn[::-1].index(True)
    assert all(drawn[first:last]), "the line runs from the first marker to the last without a gap"
    assert (result["sides"] > 0) == (width == 1280), "before and after stand side by side where there is room"
    assert result["here"] == "77629b9b-1"


def test_in_the_dark(tmp_path: pathlib.Path) -> None:
    result = measured(tmp_path, page_of(reports.review_report()), 1280, "--blink-settings=preferredColorScheme=0")
    ink, paper = (sum(int(n) for n in re.findall(r"\d+", result[name])[:3]) for name in ("ink", "paper"))
    assert ink > 550
    assert paper < 150
