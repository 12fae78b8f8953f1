"""A page in a real browser: laid out in a frame of some width, measured, and photographed for people to look at."""

from __future__ import annotations

import html
import json
import pathlib
import re
import subprocess

from tests.conftest import require_tool

ARTIFACTS = pathlib.Path(__file__).parent / "artifacts"
_MEASURE = """
addEventListener('load', () => {
  const page = document.querySelector('iframe').contentDocument.documentElement;
  document.querySelector('pre').textContent = JSON.stringify(
    {overflow: page.scrollWidth - page.clientWidth, height: page.scrollHeight, text: page.innerText.length});
});
"""
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")


def looked_at(folder: pathlib.Path, text: str, width: int, scheme: str, name: str) -> dict[str, int]:
    """How far a page overflows its frame, how high it is, how much text it shows; a picture of it stays in artifacts."""
    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    command = [require_tool("chromium"), *_FLAGS, *dark, f"--user-data-dir={folder / 'profile'}"]

    def framed(height: int) -> str:
        file = folder / "frame.html"
        frame = f'<iframe width="{width}" height="{height}" style="border:0" srcdoc="{html.escape(text)}"></iframe>'
        file.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">{frame}<pre hidden></pre><script>{_MEASURE}</script>')
        return file.as_uri()

    done = subprocess.run([*command, "--dump-dom", framed(900)], capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<pre hidden=\"\">(.*?)</pre>", done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    measured: dict[str, int] = json.loads(html.unescape(found[1]))
    ARTIFACTS.mkdir(exist_ok=True)
    picture = ARTIFACTS / f"{name}-{width}-{scheme}.png"
    height = min(measured["height"], 9000)
    subprocess.run(
        [*command, f"--window-size={max(width, 500)},{height}", f"--screenshot={picture}", framed(height)],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    assert picture.stat().st_size > 10_000
    return measured
