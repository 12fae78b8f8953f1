"""How far the second line of a header steps in: by what the lines around it step in by, tabs or blanks."""

from __future__ import annotations

from tests.unit.fixers.members import safe


def test_a_value_on_a_second_line_does_not_tell_how_a_header_steps_in() -> None:
    [text] = safe(
        "\tObject load(String path) {\n\t\ttry {\n\t\t\tObjectInputStream in = new ObjectInputStream(new BufferedInputStream(\n"
        "\t\t\t  new FileInputStream(path + \"a rather long name of a file that makes the line long\")));\n\n\t\t\tObject first = in.readObject();\n"
        "\t\t\tin.close();\n\t\t\treturn first;\n\t\t} catch (Exception x) {\n\t\t\tthrow new IllegalStateException(\n\t\t\t  \"nothing to read\", x);\n\t\t}\n\t}"
    )
    assert ");\n\t\t\t\tObjectInputStream in = new ObjectInputStream(" in text


def test_headers_below_blanks_do_not_tell_of_those_below_tabs() -> None:
    long = "a rather long name of a file that makes the line long"
    [text] = safe(
        f"    Object load(String path) throws Exception {{\n        try (FileInputStream in = new FileInputStream(path + \"{long}\");\n"
        "                ObjectInputStream objects = new ObjectInputStream(in)) {\n            return objects.readObject();\n        }\n    }\n"
        "\tvoid store(String path, Object all) throws IOException {\n"
        f"\t\tObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(path + \"{long}\"));\n\t\tout.writeObject(all);\n\t\tout.close();\n\t}}\n"
    )
    assert ");\n\t\t\t\tObjectOutputStream out = new ObjectOutputStream(" in text


def test_each_of_three_resources_has_a_line_where_they_need_several() -> None:
    texts = safe(
        "  void copy(URL source, File target) throws IOException {\n    InputStream is = source.openStream();\n\n"
        "    BufferedInputStream in = new BufferedInputStream(is);\n\n    FileOutputStream out = new FileOutputStream(target);\n\n"
        "    byte[] bytes = new byte[300000];\n    for (int n; (n = in.read(bytes)) >= 0;) {\n      out.write(bytes, 0, n);\n    }\n    in.close();\n    out.close();\n"
        "    System.out.println(source);\n    System.out.println(target);\n    System.out.println(target.length());\n  }"
    )
    assert texts and all("openStream();\n        BufferedInputStream in = new BufferedInputStream(is);\n        FileOutputStream out" in text for text in texts)
