"""What runs by itself is nobody's to close at the end of `main`, or where the code stops it in another way."""

from __future__ import annotations

import pytest

from fixers import Declined
from tests.unit.fixers.members import HEAD, safe
from tests.unit.fixers.patching import answers

HOST = """  static class Host {above}implements Closeable {{
    private final ServerSocket socket = new ServerSocket(80);
    static Host made(String path) throws IOException {{ return new Host(); }}
    Host() throws IOException {{ }}
    {own}
    int users() throws IOException {{ return socket.accept().getPort(); }}
    public void close() throws IOException {{ socket.close(); }}
  }}
"""
MAIN = """  public static void {name}(String[] all) throws Exception {{
    Host host = Host.made(all[0]);
    System.out.println(host.users());
    {more}
  }}"""


@pytest.mark.parametrize("above, own, name, more, reason", [
    ("", "void start() { }", "main", "", "it runs as long as the program"),
    ("extends Thread ", "", "main", "", "it runs as long as the program"),
    ("", "void startUp() { }\n    void stopAll() { }", "run", "host.stopAll();", "`stopAll` ends it here"),
])
def test_it_is_left_alone(above: str, own: str, name: str, more: str, reason: str) -> None:
    body = HOST.format(above=above, own=own) + MAIN.format(name=name, more=more)
    found = [each for each in answers("Case.java", (HEAD + body + "\n}\n").encode()) if "Host.made" in each.finding.text]
    assert found and all(isinstance(each, Declined) and each.reason == reason for each in found)


@pytest.mark.parametrize("own, name, more", [
    ("", "main", ""), ("void start() { }", "run", ""), ("void start() { }", "main", "host.close();"),
])
def test_what_only_holds_something_or_is_closed_gets_its_header(own: str, name: str, more: str) -> None:
    texts = safe(HOST.format(above="", own=own) + MAIN.format(name=name, more=more))
    assert any("try (Host host = Host.made(all[0])) {" in text for text in texts)


UNKNOWN = """  static class Host extends com.google.common.util.concurrent.AbstractIdleService implements Closeable {
    private final ServerSocket socket = new ServerSocket(80);
    Host() throws IOException { }
    public void close() throws IOException { stopAsync(); awaitTerminated(); }
  }
  static class Other { Host mine; void keep(Host host) { mine = host; } }
"""


@pytest.mark.parametrize("given, end", [
    ("Host", "return host;"), ("Object", "Object made = host;\n    return made;"), ("Host[]", "return new Host[] {host};"), ("void", "new Other().keep(host);"),
])
def test_what_a_close_that_ends_nothing_known_would_end_is_not_closed_where_it_lives_on(given: str, end: str) -> None:
    assert safe(f"{UNKNOWN}  static {given} run() throws IOException {{\n    Host host = new Host();\n    host.startAsync();\n    {end}\n  }}") == []


SOUND = """  static boolean ring(Context context, String path) throws IOException {{
    android.media.MediaPlayer player = new android.media.MediaPlayer();
    try {{
      player.setDataSource(path);
      player.prepare();
      {rest}
    }} catch (IOException e) {{
      e.printStackTrace();
    }}
    return false;
  }}"""


def test_what_a_method_only_starts_is_not_cut_off_at_its_end() -> None:
    found = [each for each in answers("Case.java", (HEAD + SOUND.format(rest="player.start();") + "\n}\n").encode()) if "MediaPlayer" in each.finding.text]
    assert [each.reason for each in found if isinstance(each, Declined)] == ["`start` has it go on behind the method, which would cut it off"]


def test_what_is_done_with_it_at_the_end_is_released_there() -> None:
    assert any("player.release();" in text for text in safe(SOUND.format(rest="System.out.println(player.getDuration());")))
