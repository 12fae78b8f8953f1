"""What had lines of its own for lack of room, beside a short name; and what a block of either form leaves open in its midst."""

from __future__ import annotations

from tests.unit.fixers.members import safe

CRAMPED = """  void copyAll(Store store) throws IOException {
    store.copyToTheFolderThatIsCalled(PARENT_OF_THEM_ALL + "first/of/all/First.java",
        read(Case.class.getResourceAsStream("all/of/those/resources/of/the/first/folder/first/of/all/First.java"),
            "utf-8"));
  }

  static String read(InputStream in, String charset) throws IOException {
    return in.read() + charset;
  }"""


def test_arguments_join_a_short_name_where_they_lacked_room() -> None:
    [text] = safe(CRAMPED)
    assert """First.java")) {
      store.copyToTheFolderThatIsCalled(PARENT_OF_THEM_ALL + "first/of/all/First.java",
          read(in, "utf-8"));
    }
""" in text


def test_arguments_that_had_room_stay_where_they_are() -> None:
    [text] = safe(CRAMPED.replace("/of/those/resources/of/the/first/folder/first", ""))
    assert """          read(in,
              "utf-8"));
""" in text


MADE = """  void print(java.sql.Driver driver, Properties given) throws java.sql.SQLException {
    if (given != null) {
      java.sql.Connection connection = driver.connect("jdbc:", given);
      StringBuilder words = new StringBuilder("select");
      words.append(given);
      java.sql.PreparedStatement statement = connection.prepareStatement(words.toString());
      System.out.println(statement.getMaxRows());
      statement.close();
      connection.close();
    }
  }"""


def test_no_block_of_either_form_leaves_the_plain_close_of_what_it_makes() -> None:
    assert not any("finally" in text for text in safe(MADE))


SOCKET = """  private DatagramSocket socket;
  private String host;

  Case() throws IOException {
    socket = new DatagramSocket();
    host = InetAddress.getLocalHost().getHostName();
  }

  void close() {
    socket.close();
  }"""


def test_a_handler_only_closes_a_field_whose_close_throws_nothing() -> None:
    [text] = safe(SOCKET)
    assert "    } catch (Throwable e) {\n      socket.close();\n      throw e;\n    }\n" in text


LONG = """  void check() throws IOException {
    String text = readAllOfThemToTheEnd(new InputStreamReader(answer.getOfTheServerTheStream(), Names.UTF_EIGHT));
    if (text.isEmpty()) {
      throw new IOException();
    }
  }

  interface Answer { InputStream getOfTheServerTheStream() throws IOException; }

  private Answer answer;

  static String readAllOfThemToTheEnd(Reader in) throws IOException {
    return "" + in.read();
  }"""


def test_a_header_no_longer_than_the_line_that_it_stands_for_is_not_broken() -> None:
    many = "".join(f"\n  int number{n};" for n in range(220))
    short = "\n  void ask() throws IOException {\n    new InputStreamReader(answer.getOfTheServerTheStream(), Names.UTF_EIGHT).read();\n  }\n\n"
    for text in safe(short + LONG + many):
        assert "InputStreamReader reader =\n" not in text
    [text] = [each for each in safe(LONG + many) if "try (" in each]
    assert "    try (InputStreamReader reader = new InputStreamReader(answer.getOfTheServerTheStream(), Names.UTF_EIGHT)) {\n" in text


ASKED = """  void copy(InputStream in, File file) throws IOException {
    if (moved(in, new FileOutputStream(file)) > 0) {
      String name = file.getName();
      if (name.endsWith(".ico")) {
        System.out.println(name);
      } else {
        System.out.println("no " + name);
      }
    }
  }

  static long moved(InputStream in, OutputStream out) throws IOException {
    out.write(in.read());
    return 1;
  }"""


def test_no_block_goes_around_the_branches_of_what_a_condition_opens() -> None:
    assert not safe(ASKED)
    assert safe(ASKED.replace("""      if (name.endsWith(".ico")) {
        System.out.println(name);
      } else {
        System.out.println("no " + name);
      }
""", ""))


STREAMS = """  void ask(javax.net.SocketFactory made, String host) {
    InputStream in = null;
    OutputStream out = null;
    try {
      Socket socket = made.createSocket(host, 1);
      in = socket.getInputStream();
      out = socket.getOutputStream();
      out.write(in.read());
    } catch (IOException e) {
      throw new RuntimeException(e);
    } finally {
      if (in != null) {
        try {
          in.close();
        } catch (IOException e) {
          // nothing
        }
      }
      if (out != null) {
        try {
          out.close();
        } catch (IOException e) {
          // nothing
        }
      }
    }
  }"""


def test_no_socket_goes_into_a_header_whose_finally_closes_its_streams() -> None:
    assert not any("try (Socket" in text for text in safe(STREAMS))


PLAYED = """  void write(String name, String words) throws IOException {
    new FileWriter(name).write(words);
  }

  static class Plays {
    void play() throws Exception {
      FileWriter writer = createMock(FileWriter.class);
      expectNew(FileWriter.class, "a").andReturn(writer);
      writer.write("b");
    }
  }"""


def test_nothing_is_safe_that_calls_what_a_test_did_not_expect() -> None:
    assert not safe(PLAYED)
    assert safe(PLAYED.replace("expectNew", "noteNew"))


READ = """  @Test
  public void reads() throws FileNotFoundException, InterruptedException {
    Object found = Case.taken(getClass().getResourceAsStream("local.html"));
    System.out.println(found);
  }

  static Object taken(InputStream in) {
    try {
      return in.read();
    } catch (IOException e) {
      return e;
    }
  }"""


def test_a_test_declares_no_kinds_beside_the_whole() -> None:
    [text] = safe(READ)
    assert "reads() throws IOException, InterruptedException {" in text


CLIENT = """  int ask(org.apache.http.impl.client.HttpClientBuilder builder, org.apache.http.client.methods.HttpGet asked) throws IOException {
    return builder.build().execute(asked).getStatusLine().getStatusCode();
  }"""


def test_a_name_says_not_that_it_can_be_closed() -> None:
    assert not any("closeableHttpClient" in text for text in safe(CLIENT))
    assert any("httpClient = builder.build()" in text for text in safe(CLIENT))


FORM = """  File persist(Form form) {
    File file;
    try {
      java.security.MessageDigest digest = java.security.MessageDigest.getInstance("MD5");
      InputStream in = new java.security.DigestInputStream(form.getFileStream(), digest);
      file = stored(in);
      System.out.println(digest);
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    return file;
  }

  private File stored(InputStream in) {
    try {
      in.read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new File("a");
  }

  interface Form {
    InputStream getFileStream();
  }"""


def test_no_handler_for_closing_stands_in_a_block_with_handlers_for_what_is_feared() -> None:
    assert not any("thrown by closing alone" in text for text in safe(FORM))


def test_what_is_long_in_a_header_stays_broken_between_arguments() -> None:
    [text] = safe("""  void write(Path folder, Path name, byte[] anything) throws IOException {
    try (DataOutputStream out = new DataOutputStream(
        new java.util.zip.GZIPOutputStream(java.nio.file.Files.newOutputStream(folder.resolve(name), java.nio.file.StandardOpenOption.CREATE),
            java.util.zip.Deflater.DEFAULT_COMPRESSION + java.util.zip.Deflater.BEST_SPEED, true))) {
      out.write(anything);
    }
  }""")
    assert """
        DataOutputStream out =
            new DataOutputStream(new java.util.zip.GZIPOutputStream(outputStream,
                java.util.zip.Deflater.DEFAULT_COMPRESSION + java.util.zip.Deflater.BEST_SPEED, true))) {
""" in text
