"""What runs later (lambdas, tasks, threads, handlers, lazy streams) is never served with what was closed before."""

from __future__ import annotations

import pytest

from fixers import Fix
from fixers.edits import apply
from tests.unit.fixers.members import HEAD, offered, reasons, safe
from tests.unit.fixers.patching import answers


def test_what_is_repeated_in_a_pool_keeps_it() -> None:
    body = (
        "  void run(Runnable beat) {\n    ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);\n"
        "    pool.scheduleAtFixedRate(beat, 1, 1, TimeUnit.SECONDS);\n  }"
    )
    assert safe(body) == []
    assert all("repeats would end with it" in each for each in reasons(body))


def test_what_a_connection_gives_again_is_not_closed_before() -> None:
    body = (
        "  int run(java.net.URLConnection connection) throws IOException {\n    int size = connection.getInputStream().available();\n"
        "    return size + connection.getInputStream().read();\n  }"
    )
    assert safe(body) == []
    assert all("may give the same again" in each for each in reasons(body))
    [text] = safe(body.replace("connection.getInputStream().available()", "8").replace("read()", "readAllBytes().length"))
    assert "try (InputStream" in text


def test_what_is_asked_again_on_another_way_or_of_another_connection_is_closed() -> None:
    part = "    if (url.getPort() == 1) {\n      connection.getInputStream().close();\n      return 0;\n    }\n"
    body = (
        "  int run(java.net.URL url) throws IOException {\n    java.net.URLConnection connection = url.openConnection();\n" + part +
        "    return connection.getInputStream().read();\n  }"
    )
    [text] = safe(body)
    assert "try (InputStream" in text
    assert safe(body.replace("      return 0;\n", "")) == []
    again = (
        "  int run(java.net.URL url) throws IOException {\n    java.net.URLConnection connection = url.openConnection();\n"
        "    int first = connection.getInputStream().read();\n    connection = url.openConnection();\n"
        "    return first + connection.getInputStream().read();\n  }"
    )
    assert len(safe(again)) == 2
    assert safe(again.replace("    connection = url.openConnection();\n", "")) == []
    assert safe(again.replace("    connection = url.openConnection();\n", "    java.net.URLConnection same = connection;\n    connection = same;\n")) == []


def test_a_connection_that_each_turn_of_a_loop_takes_out_of_a_field_is_the_same() -> None:
    body = (
        "  java.net.URLConnection kept;\n  void run(int[] all) throws IOException {\n    for (int each : all) {\n"
        "      java.net.URLConnection connection = this.kept;\n      connection.getOutputStream().write(each);\n    }\n  }"
    )
    assert safe(body) == []
    assert safe(body.replace("this.kept", "new java.net.URL(\"http://a\" + each).openConnection()"))


def test_a_lambda_may_throw_what_it_throws_already() -> None:
    [text] = safe(
        "  Callable<Integer> size = () -> {\n    FileInputStream in = new FileInputStream(\"x\");\n"
        "    return in.read();\n  };"
    )
    assert "    try (FileInputStream in = new FileInputStream(\"x\")) {\n      return in.read();\n    }\n" in text


def test_what_a_lambda_captured_is_not_closed_before_it_runs() -> None:
    body = (
        "  int run(String path) throws Exception {\n    InputStream in;\n    try {\n      in = new FileInputStream(path);\n"
        "    } catch (IOException e) {\n      return -1;\n    }\n    InputStream it = in;\n    Callable<Integer> first = () -> it.read();\n"
        "    int b = first.call();\n    if (b == 0)\n      return b;\n    in.close();\n    return 0;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "finally" not in apply(data, each.edits).decode()


def test_what_a_collection_hands_out_later_is_not_closed_before() -> None:
    body = (
        "  int run(String path, int k) throws IOException {\n    Map<String, InputStream> all = new HashMap<>();\n"
        "    InputStream in = new FileInputStream(path);\n    all.put(path, in);\n    if (k == 1)\n      return 0;\n"
        "    for (InputStream each : all.values())\n      each.close();\n    return 1;\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        assert not isinstance(each, Fix) or "try (InputStream in" not in apply(data, each.edits).decode()


TASKS = {
    "task": "pool.execute(() -> read(s));",
    "named task": "pool.submit(new Task(s));",
    "anonymous task": "pool.submit(new Runnable() {\n      public void run() {\n        read(s);\n      }\n    });",
    "thread": "Thread t = new Thread(() -> read(s));\n    t.start();",
    "anonymous thread": "new Thread() {\n      public void run() {\n        read(s);\n      }\n    }.start();",
    "timer": "new Timer().schedule(new TimerTask() {\n      public void run() {\n        read(s);\n      }\n    }, 100);",
}


@pytest.mark.parametrize("use", TASKS.values(), ids=TASKS)
def test_what_another_thread_uses_is_closed_only_before_that_is_told(use: str) -> None:
    body = (
        "  ExecutorService pool;\n  static void read(Socket s) { try (s) { s.getPort(); } catch (IOException e) { return; } }\n"
        "  static class Task implements Runnable {\n    private final Socket s;\n    Task(Socket s) { this.s = s; }\n"
        "    public void run() { read(s); }\n  }\n"
        "  void serve(ServerSocket server) throws IOException {\n    final Socket s = server.accept();\n"
        f"    s.setSoTimeout(3);\n    {use}\n  }}"
    )
    data = (HEAD + body + "\n}\n").encode()
    patches = [apply(data, each.edits).decode() for each in answers("Case.java", data) if isinstance(each, Fix)]
    assert patches
    for text in patches:
        assert "try (Socket" not in text and "finally" not in text
        assert "catch (Throwable e)" in text


def test_what_a_lazy_stream_reads_from_stays_open() -> None:
    body = (
        "  java.util.stream.Stream<Integer> numbers(String path, List<String> names) throws IOException {\n"
        "    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    return names.stream().map(x -> next(in));\n  }\n  static int next(InputStream in) { return 0; }"
    )
    assert safe(body) == []


def test_a_reader_that_somebody_unknown_made_of_it_is_not_returned_closed() -> None:
    body = (
        "  BufferedReader open(String path) throws IOException {\n    InputStream in = new FileInputStream(path);\n    in.read();\n"
        "    Reader r = org.elsewhere.Marks.reader(in);\n    return new BufferedReader(r);\n  }"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (InputStream" not in text and "finally" not in text


def test_what_doubles_are_asked_and_told_is_not_closed() -> None:
    head = "import java.sql.*;\nimport static org.mockito.Mockito.*;\nclass Case {\n"
    body = (
        "  void asked(PreparedStatement load, ResultSet row) throws Exception {\n    when(load.executeQuery()).thenReturn(row);\n  }\n"
        "  void told(Connection db, Driver driver) throws Exception {\n    Statement s = db.createStatement();\n"
        "    doReturn(s).when(driver).getMajorVersion();\n  }\n}\n"
    )
    assert answers("Case.java", (head + body).encode()) == []


@pytest.mark.parametrize("register", ["org.elsewhere.Bus.handler", "new javax.swing.JButton().addActionListener"])
def test_what_a_handler_uses_is_not_closed_behind_its_registration(register: str) -> None:
    body = (
        "  static void read(InputStream in) { }\n  void run(String path) throws IOException {\n"
        f"    InputStream in = new FileInputStream(path);\n    in.read();\n    {register}(e -> read(in));\n  }}"
    )
    data = (HEAD + body + "\n}\n").encode()
    for each in answers("Case.java", data):
        text = apply(data, each.edits).decode() if isinstance(each, Fix) else ""
        assert "try (InputStream" not in text and "finally" not in text


@pytest.mark.parametrize("made", ["FileInputStream in = new FileInputStream(path)", "Reader in = new InputStreamReader(new FileInputStream(path))"])
def test_what_a_returned_function_reads_is_closed_neither_in_it_nor_before_it(made: str) -> None:
    body = (
        f"  Object open(String path, int k) throws IOException {{\n    {made};\n"
        "    java.util.function.Function<Integer, Integer> next = n -> {\n      try {\n        return in.read() + n;\n"
        "      } catch (IOException e) {\n        return -1;\n      }\n    };\n"
        "    if (k == 0) return next.apply(1);\n    return next;\n  }"
    )
    assert safe(body) == []


def test_what_keeps_the_streams_of_a_socket_in_a_field_keeps_the_socket() -> None:
    body = """  static class Talk {
    private final BufferedReader ear;
    Talk(InputStream in) { ear = new BufferedReader(new InputStreamReader(in)); }
    String hear() throws IOException { return ear.readLine(); }
  }
  private Talk talk;
  private int number;
  void meet(java.net.ServerSocket server) throws IOException {
    java.net.Socket peer = server.accept();
    talk = new Talk(peer.getInputStream());
    String said = talk.hear();
    number = Integer.parseInt(said);
  }"""
    assert safe(body) == []
    [text] = safe(body.replace("    talk = new", "    Talk talk = new"))
    assert "try (java.net.Socket peer = server.accept()) {" in text


POOL = """  private final java.util.concurrent.Semaphore gate = new java.util.concurrent.Semaphore(0);
  static void check(boolean is) { if (!is) throw new IllegalStateException(); }
  void stop() throws Exception {
    ExecutorService pool = Executors.newCachedThreadPool();
    java.util.concurrent.CompletableFuture<Void> waiting = new java.util.concurrent.CompletableFuture<>();
    waiting = java.util.concurrent.CompletableFuture.runAsync(() -> gate.acquireUninterruptibly(), pool);
    Thread.sleep(100);
    check(!waiting.isDone());
    // shut down what waits
    pool.shutdownNow();
    waiting.cancel(true);
    gate.release();
  }"""


def test_tasks_are_not_interrupted_later_than_they_were() -> None:
    assert all(text.index("} finally {") < text.index("waiting.cancel") for text in safe(POOL))
    body = POOL.replace("    waiting = java.util.concurrent.CompletableFuture.runAsync(() -> gate.acquireUninterruptibly(), pool);\n", "    pool.execute(() -> System.out.println(gate));\n")
    [text] = offered(body)
    assert "    } finally {\n      pool.shutdownNow();\n    }\n    waiting.cancel(true);\n" in text


def test_a_result_that_comes_of_the_interruption_is_not_waited_for_before() -> None:
    body = """  void stop(Callable<Integer> task) throws InterruptedException {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    java.util.concurrent.Future<Integer> result = pool.submit(task);
    try {
      Thread.sleep(5);
      pool.shutdownNow();
      result.get();
      throw new IllegalStateException("was not interrupted");
    } catch (java.util.concurrent.ExecutionException e) {
      System.out.println(e);
    }
  }"""
    assert safe(body) == []


def test_what_a_stream_closes_is_not_closed_before_it() -> None:
    body = (
        "  long run(java.nio.file.Path path) throws IOException {\n    java.io.BufferedReader in = java.nio.file.Files.newBufferedReader(path);\n"
        "    java.util.stream.Stream<String> all = in.lines().onClose(() -> quiet(in));\n    return all.count();\n  }\n"
        "  static void quiet(Closeable c) {\n    try {\n      c.close();\n    } catch (IOException e) {\n      throw new IllegalStateException(e);\n    }\n  }"
    )
    assert safe(body) == []
    assert [each for each in reasons(body) if "`onClose`" in each]


def test_what_is_opened_for_nothing_is_not_closed_at_once() -> None:
    body = (
        "  int run(String one, String two) throws IOException {\n    FileInputStream in = new FileInputStream(one);\n    in = new FileInputStream(two);\n"
        "    try {\n      return in.read();\n    } finally {\n      in.close();\n    }\n  }"
    )
    assert safe(body) == []
    assert [each for each in reasons(body) if "one of the two should go" in each]
    assert safe(body.replace("    in = new", "    in.read();\n    in = new"))


CHANNEL = (
    "  private java.nio.channels.CompletionHandler<Integer, Object> kept;\n  void read(java.nio.file.Path path, java.nio.ByteBuffer to, java.nio.channels.CompletionHandler<Integer, Object> told) throws IOException {\n"
    "    java.nio.channels.AsynchronousFileChannel channel = java.nio.channels.AsynchronousFileChannel.open(path);\n    CALL\n  }"
)


def test_what_goes_on_when_the_call_has_returned_is_not_cut_off() -> None:
    made = "channel.read(to, 0, null, new java.nio.channels.CompletionHandler<Integer, Object>() {\n      public void completed(Integer n, Object o) {\n      }\n      public void failed(Throwable e, Object o) {\n      }\n    });"
    kept = ("channel.read(to, 0, null, this.kept);", "channel.read(to, 0, null, kept);", "java.util.concurrent.Future<Integer> begun = channel.read(to, 0);")
    for call in ("channel.read(to, 0, null, told);", made, "channel.write(to, 0);", *kept):
        body = CHANNEL.replace("CALL", call)
        assert safe(body) == [], call
        assert any("call back later" in each for each in reasons(body)), reasons(body)
    assert len(safe(CHANNEL.replace("CALL", "channel.force(true);"))) == 1


def test_what_is_waited_for_may_be_closed_behind() -> None:
    [text] = safe(CHANNEL.replace("CALL", "try {\n      channel.read(to, 0).get();\n    } catch (Exception e) {\n      System.out.println(e);\n    }"))
    assert "try (" in text or "finally" in text
    named = "try {\n      java.util.concurrent.Future<Integer> begun = channel.read(to, 0);\n      System.out.println(begun.get());\n    } catch (Exception e) {\n      System.out.println(e);\n    }"
    assert len(safe(CHANNEL.replace("CALL", named))) == 1


@pytest.mark.parametrize("other", ["this.server", "server"])
def test_an_answer_is_ended_before_the_server_that_it_comes_from(other: str) -> None:
    body = (
        "  private final Closeable server = null;\n"
        "  void handle(com.sun.net.httpserver.HttpExchange exchange) throws IOException {\n    try {\n      exchange.sendResponseHeaders(200, 0);\n"
        f"      exchange.close();\n    }} finally {{\n      {other}.close();\n    }}\n  }}"
    )
    for after in safe(body):
        assert after.index("exchange.close()") < after.index(f"{other}.close()")
    assert offered(body)
