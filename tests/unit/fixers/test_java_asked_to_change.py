"""What a reviewer asks to change in a patch that is right is mended, or the patch is not called safe."""

from __future__ import annotations

from tests.unit.fixers.members import safe

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
