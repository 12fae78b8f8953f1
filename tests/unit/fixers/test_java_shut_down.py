"""Where a pool of threads is shut down that the code only gives tasks, or shuts down on some of its ways."""

from __future__ import annotations

from tests.unit.fixers.members import offered, safe
from tests.unit.fixers.patching import mended

TASKS = """  void start(final Runnable job) {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    pool.submit(new Runnable() {
      public void run() {
        job.run();
      }
    });
    for (int i = 0; i < 3; i++) {
      pool.execute(job);
    }

    System.out.println("started");
  }"""

AWAITED = """  void await(Runnable job, CountDownLatch count) {
    ExecutorService pool = Executors.newCachedThreadPool();
    pool.submit(job);

    try {
      count.await();
      pool.shutdown();
    } catch (InterruptedException e) {
      System.err.println(e);
    }
  }"""

PASSED_ON = """  void chain(Runnable job) {
    ExecutorService pool = Executors.newCachedThreadPool();
    pool.submit(() -> pool.submit(job));
    System.out.println("started");
  }"""

TWICE = """  void await(Runnable job, CountDownLatch count) {
    ExecutorService pool = Executors.newCachedThreadPool();
    pool.submit(job);
    try {
      count.await();
    } catch (InterruptedException e) {
      System.err.println(e);
    }
    try {
      count.await();
      pool.shutdown();
    } catch (InterruptedException e) {
      System.err.println(e);
    }
    System.out.println("done");
  }"""


def test_what_only_gives_tasks_stays_where_it_is() -> None:
    [text] = safe(TASKS)
    assert text == TASKS.replace("      pool.execute(job);\n    }\n", "      pool.execute(job);\n    }\n    pool.shutdown();\n") + "\n}\n"


NAMED = """  void later(long start) {
    ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
    Runnable one = new Runnable() {
      public void run() {
        System.out.println(start);
      }
    };
    Runnable two = () -> System.out.println("two");

    pool.schedule(one, 10, TimeUnit.SECONDS);
    pool.schedule(two, 30, TimeUnit.SECONDS);
  }"""


def test_tasks_may_have_names() -> None:
    [text] = safe(NAMED)
    assert text == NAMED.removesuffix("  }") + "    pool.shutdown();\n  }\n}\n"


def test_what_a_try_ends_with_comes_behind_it() -> None:
    [text] = safe(AWAITED)
    assert text == AWAITED.replace("      pool.shutdown();\n", "").replace("println(e);\n    }\n", "println(e);\n    }\n    pool.shutdown();\n") + "\n}\n"


def test_a_task_that_gives_the_pool_others_keeps_it() -> None:
    assert not any("pool.submit(job));\n    pool.shutdown();" in each for each in offered(PASSED_ON))


def test_nothing_is_released_behind_its_own_release() -> None:
    assert not any(each.count("pool.shutdown();") > 1 for each in safe(TWICE))


def test_one_task_alone_needs_no_finally() -> None:
    text = """import java.util.concurrent.*;

class Case {
  void begin(Callable<String> task) {
    try {
      ExecutorService pool = Executors.newSingleThreadExecutor();
      pool.submit(task);
      pool.shutdown();
    } catch (Exception e) {
      System.err.println(e);
    }
  }

  String ask(Callable<String> task) throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    String answer = pool.submit(task).get();
    pool.shutdown();
    return answer;
  }
}
"""
    after = mended("Case.java", text.encode()).decode()
    assert "      pool.submit(task);\n      pool.shutdown();\n" in after
    assert "    } finally {\n      pool.shutdown();\n    }\n" in after
