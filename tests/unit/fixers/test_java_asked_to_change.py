"""What a reviewer asks to change in a patch that is right is mended, or the patch is not called safe."""

from __future__ import annotations

from tests.unit.fixers.members import reasons, safe
from tests.unit.fixers.patching import mended

COPY = """  void copy(URL from, File to, boolean is) throws IOException {
    OutputStream os;
    InputStream in;
    if (is) {
      in = from.openStream();
    } else {
      in = new FileInputStream(to);
    }
    FileOutputStream file = new FileOutputStream(to);
    if (is) {
      os = new BufferedOutputStream(file, 100);
    } else {
      os = file;
    }
    os.write(in.read());
    in.close();
    os.flush();
    os.close();
  }"""


def test_of_two_that_are_closed_one_after_the_other_none_is_mended_alone() -> None:
    assert safe(COPY) == []
    assert safe(COPY.replace("    os.flush();\n    os.close();\n", "")) != []


def test_a_handler_that_tells_of_a_missing_file_alone_meets_no_other_failure() -> None:
    body = """  int size(Properties all, String path) {
    try {
      return path(new FileReader(path));
    } catch (FileNotFoundException e) {
      throw new IllegalStateException("%s: " + path);
    }
  }
  static int path(Reader in) { try { return in.read(); } catch (IOException e) { return 0; } }"""
    assert not any("catch (IOException e) {\n      throw new Ill" in text for text in safe(body % "file not found"))
    [text] = safe(body % "not read")
    assert "catch (IOException e) {\n      throw new Ill" in text


def test_a_resource_that_is_too_long_is_broken_though_a_part_is_still_long() -> None:
    value = 'new javax.swing.ProgressMonitorInputStream(null, "All" + file.getName(), new FileInputStream(file))'
    body = (
        f"  int read(File file, String set) throws IOException {{\n    InputStream input =\n        {value};\n"
        "    BufferedReader lines = new BufferedReader(new InputStreamReader(input, set));\n    int first = lines.read();\n    lines.close();\n    return first;\n  }"
    )
    [text] = safe(body)
    assert f"    try (InputStream input =\n            {value};\n        BufferedReader lines = " in text


def test_a_mark_of_a_text_does_not_stay_where_the_text_was() -> None:
    body = (
        "  Object picture() throws IOException {\n    Object picture = javax.imageio.ImageIO.read(Case.class.getResourceAsStream(\"a.png\")); //NOI18N\n"
        "    return picture;\n  }"
    )
    assert safe(body) == []
    assert safe(body.replace(" //NOI18N", " // found there")) != []
    assert safe(body.replace('"a.png"', "PATH")) != []


def test_braces_stand_as_those_of_statements_whatever_methods_do() -> None:
    body = (
        "  static int size(String path) throws IOException\n  {\n    InputStream in = new FileInputStream(path);\n    int size = 0;\n"
        "    while (in.read() >= 0) {\n      size++;\n    }\n    in.close();\n    return size;\n  }\n"
        "  static int one()\n  {\n    return 1;\n  }\n  static int two()\n  {\n    return 2;\n  }\n"
    )
    [text] = safe(body)
    assert "try (InputStream in = new FileInputStream(path)) {\n" in text
    [text] = safe(body.replace("0) {\n", "0)\n    {\n"))
    assert "try (InputStream in = new FileInputStream(path))\n    {\n" in text


def test_what_a_stranger_gives_to_be_written_to_is_not_closed() -> None:
    body = (
        "  private acme.Page page;\n  void end(String words) throws IOException {\n    Writer out = page.getOut();\n"
        "    if (out instanceof PrintWriter) ((PrintWriter) out).print(words);\n    else out.write(words);\n  }"
    )
    assert safe(body) == []


def test_a_finally_that_closes_two_is_not_left_with_one() -> None:
    body = (
        "  void run(java.sql.Connection to, String words) throws java.sql.SQLException {\n    java.sql.PreparedStatement all = to.prepareStatement(words);\n"
        "    all.setInt(1, 2);\n    java.sql.ResultSet rows = null;\n    try {\n      rows = all.executeQuery();\n      System.out.println(rows.next());\n"
        "    } finally {\n      if (rows != null) rows.close();\n      all.close();\n    }\n  }"
    )
    for text in safe(body):
        assert text.count("finally") == 0 or "all.close();" in text.partition("finally")[2]


def test_of_two_that_one_statement_opens_none_is_closed_alone() -> None:
    body = "  boolean same(String a, String b) throws IOException {\n    boolean same = read(new FileReader(a), b) == read(new FileReader(b), a);\n    return same;\n  }\n  static int read(Reader in, String more) throws IOException { return in.read() + more.length(); }"
    assert all("new FileReader(a), b)" not in text and "new FileReader(b), a)" not in text for text in safe(body))


def test_a_block_goes_on_a_little_rather_than_to_split_several_declarations() -> None:
    body = (
        "  static Map<String, String> read(File file) throws IOException {\n    BufferedReader in = new BufferedReader(new FileReader(file));\n"
        "    String line = in.readLine();\n    String title = in.readLine();\n    String words = in.readLine();\n    in.close();\n\n"
        "    Map<String, String> all = new HashMap<>();\n    all.put(\"title\", title);\n    all.put(\"line\", line);\n    all.put(\"words\", words);\n    return all;\n  }"
    )
    [text] = safe(body)
    assert "      String line = in.readLine();\n" in text and "      return all;\n    }\n  }" in text


def test_what_is_declared_beside_others_is_not_closed_apart_from_them() -> None:
    body = (
        "  void run(java.sql.Connection to, String words) throws java.sql.SQLException {\n    java.sql.PreparedStatement one = null;\n    java.sql.PreparedStatement two = null;\n"
        "    try {\n      one = to.prepareStatement(words);\n      one.setInt(1, 2);\n      one.execute();\n      two = to.prepareStatement(words + 2);\n      two.setInt(1, 2);\n"
        "      two.execute();\n    } finally {\n      one.close();\n    }\n  }"
    )
    assert not any("try (java.sql.PreparedStatement two" in text for text in safe(body))


def test_a_header_that_gets_longer_is_broken_behind_the_sign() -> None:
    body = (
        "  void load(File theFileToBeRead, String theSetOfLetters, Properties all) throws IOException {\n    try (BufferedReader lines = new BufferedReader(\n"
        "        new InputStreamReader(new FileInputStream(theFileToBeRead), theSetOfLetters))) {\n      all.load(lines);\n    }\n  }"
    )
    [text] = safe(body)
    assert "        BufferedReader lines = new BufferedReader(\n        new" not in text


def test_what_a_callee_closes_is_not_closed_a_second_time_for_sure() -> None:
    body = """  void load(File file) throws IOException {
    InputStream in = new FileInputStream(file);
    byte[] all = new byte[in.available()];
    take(in, all);
  }
  static void take(InputStream in, byte[] all) throws IOException { in.read(all);%s }"""
    assert safe(body % " in.close();") == []
    assert safe(body % "") != []


def test_a_parameter_that_is_closed_in_one_go_with_it_is_not_left_behind() -> None:
    body = """  void load(File file, org.pages.Page from) throws IOException {
    OutputStream out = new FileOutputStream(file);
    out.write(from.next());
    out.close();
%s  }"""
    assert safe(body % "    from.close();\n") == []
    assert safe(body % "") != []


def test_a_comment_above_a_close_that_goes_does_not_stay_among_other_statements() -> None:
    body = """  int load(Callable<Integer> next) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    List<Future<Integer>> all = pool.invokeAll(Arrays.asList(next, next));

%s    pool.shutdown();
    for (Future<Integer> each : all) {
      System.out.println(each.get());
    }
    return 1;
  }"""
    assert safe(body % "    // the rest is told\n") == []
    assert safe(body % "") != []


def test_a_lock_that_nobody_ends_stays() -> None:
    body = """  FileOutputStream kept;
  boolean isAlone(File file) throws IOException {
    kept = new FileOutputStream(file);
    java.nio.channels.FileLock lock = kept.getChannel().tryLock();
    return lock != null;
  }"""
    assert safe(body) == []
    assert reasons(body) == ["what is locked stays so until somebody ends that, which may be meant"]


def test_an_annotation_above_a_declaration_that_is_split_stays_above_it() -> None:
    [text] = safe(
        "  void load(File file) throws IOException {\n    @SuppressWarnings(\"rawtypes\")\n    List all = read(new FileInputStream(file));\n    all.clear();\n  }\n"
        "  static List read(InputStream in) throws IOException { in.read(); return new ArrayList(); }"
    )
    assert "    @SuppressWarnings(\"rawtypes\")\n    List all;\n    try (FileInputStream in" in text


def test_a_name_does_not_keep_a_line_of_its_own_among_braces() -> None:
    [text] = safe(
        "  static class Box { final Reader in; Box(Reader in) { this.in = in; } }\n"
        "  void load(File file, List<Integer> into) throws IOException {\n    into.add(sum(new Box[] { new Box(\n        new FileReader(file)) }));\n"
        "    into.add(1);\n  }\n  static int sum(Box[] all) throws IOException { return all[0].in.read(); }"
    )
    assert "into.add(sum(new Box[] { new Box(in) }));\n" in text or "new Box(reader) }));\n" in text


def test_a_pool_that_the_code_shuts_down_at_the_end_is_not_shut_down_twice_for_sure() -> None:
    body = """  void run(List<Runnable> all) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    CountDownLatch latch = new CountDownLatch(2);
    for (Runnable each : all) {
      pool.execute(each);
    }
    latch.await();
%s  }"""
    assert safe(body % "    pool.shutdown();\n    pool.awaitTermination(60, TimeUnit.SECONDS);\n") == []
    assert safe(body % "") != []


def test_a_handler_that_goes_another_way_meets_no_more_than_it_did() -> None:
    body = """  Object load(File file, Map<String, Object> all) {
    try {
      Object made = read(new FileInputStream(file));
      return made;
    } catch (FileNotFoundException e) {
%s    }
  }
  Object read(InputStream in) { return in.toString() + in; }"""
    assert not any("catch (IOException e) {" in text for text in safe(body % "      Object other = all.get(file.getName());\n      return other;\n"))
    assert not any("catch (IOException e) {" in text for text in safe(body % "      // the file need not be there\n      return null;\n"))
    [text] = safe(body % "      return null;\n")
    assert "catch (IOException e) {" in text


def test_what_reads_on_stands_in_the_header_that_is_there() -> None:
    data = """import java.io.*;
import java.util.*;
import javax.xml.stream.*;
class Case {
  void run(Queue<Integer> some) throws Exception {
    XMLInputFactory made = XMLInputFactory.newInstance();
    try (Scanner out = new Scanner("a")) {
      XMLEventReader all = made.createXMLEventReader(
          Case.class.getResourceAsStream("/a"));
      while (all.hasNext()) {
        some.add(all.nextEvent().getEventType());
      }
%s    }
  }
}
"""
    after = mended("Case.java", (data % "      out.next();\n").encode()).decode()
    assert 'try (Scanner out = new Scanner("a"); InputStream in = Case.class.getResourceAsStream("/a")) {\n      XMLEventReader all =' in after
    assert "made.createXMLEventReader(in);\n" in after
    after = mended("Case.java", (data % ("      out.next();\n" * 4)).encode()).decode()
    assert '      try (InputStream in = Case.class.getResourceAsStream("/a")) {\n        XMLEventReader' in after


def test_what_its_call_closes_is_not_closed_a_second_time_for_sure() -> None:
    body = """  static List<String> read(File f) throws IOException {%s return read(new FileInputStream(f), "UTF-8");%s }
  static List<String> read(InputStream in, String set) throws IOException {
    List<String> all = new ArrayList<>();
    try (InputStreamReader r = new InputStreamReader(in, set); BufferedReader b = new BufferedReader(r)) {
      all.add(b.readLine());
    }
    return all;
  }"""
    assert safe(body % ("\n   ", "\n ")) == []
    assert safe(body % ("", "")) == []


def test_what_is_declared_right_beside_it_is_not_left_open() -> None:
    body = """  void copy(File from, File to, org.pages.Page page) throws IOException {
    InputStream in = new FileInputStream(from);
    Writer out = new FileWriter(to);
    out.write(page.read(in));
    out.close();
  }"""
    assert safe(body) == []
    assert len(safe(body.replace("page.read(in)", "in.read()"))) > 0


def test_what_a_test_has_made_itself_is_not_closed() -> None:
    data = """import java.io.*;
import java.nio.file.*;
import org.mockito.Mockito;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
class Case {
  void test(Answers all, InputStream made) throws IOException {
    InputStream got = Files.newInputStream(Path.of("a"));
    %s(made, got);
    System.out.println(got.read());
  }
}
"""
    assert mended("Case.java", (data % "assertSame").encode()).decode() == data % "assertSame"
    assert mended("Case.java", (data % "assertEquals").encode()).decode() != data % "assertEquals"


CIPHERED = """  static void store(File file, %sString text, javax.crypto.Cipher cipher) throws IOException {
    FileOutputStream plain = new FileOutputStream(file);
    javax.crypto.CipherOutputStream locked = new javax.crypto.CipherOutputStream(plain, cipher);
    Writer out = new BufferedWriter(new OutputStreamWriter(locked));
    out.write(text);
    out.close();
  }"""


def test_what_a_second_close_writes_again_on_old_android_is_for_somebody_to_look_at() -> None:
    assert len(safe(CIPHERED % "")) > 0
    assert safe(CIPHERED % "android.content.Context context, ") == []


def test_a_comment_that_says_why_there_is_no_finally_is_for_somebody_to_look_at() -> None:
    body = """  void store(File file, boolean locked) throws IOException {
    OutputStream out = new FileOutputStream(file);
    if (locked)
      out = new BufferedOutputStream(out);
    out.write(1);
    // %s
    out.close();
    file.renameTo(new File("b"));
  }"""
    assert any("finally" in text for text in safe(body % "Before it gets its name."))
    assert safe(body % "Not in a finally: it has to be closed before it gets its name.") == []


def test_a_header_in_a_branch_that_goes_on_is_not_right_inside_of_a_try() -> None:
    body = """  InputStream last;
  void play(File file) {
    try {
      if (file != null) {
        if (last == null) {
          InputStream in = new FileInputStream(file);

          System.out.println(in.read());
        }
        file.delete();
      }
    } catch (IOException e) {
      e.printStackTrace();
      last = null;
    }
  }"""
    [after] = safe(body)
    assert "try (InputStream in = new FileInputStream(file)) {" in after
