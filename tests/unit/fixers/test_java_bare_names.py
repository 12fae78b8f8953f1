"""A name that comes in the place of an expression stands without its parentheses, and is like no other."""

from __future__ import annotations

from tests.unit.fixers.members import safe

BODY = """  boolean has(String path, String name) throws IOException {
    java.util.Enumeration<?> all;
    try {
      all = (new java.util.zip.ZipFile(path)).entries();
      while (all.hasMoreElements()) {
        if (all.nextElement().toString().equals(name)) {
          return true;
        }
      }
    } catch (java.util.zip.ZipException e) {
      throw new IOException(e);
    }
    return false;
  }"""


def test_parentheses_go_with_what_they_were_for() -> None:
    [text] = safe(BODY)
    assert "all = zipFile.entries();" in text


def test_the_condition_of_a_branch_keeps_its_parentheses() -> None:
    body = """  void ask(String path) throws IOException {
    if (new FileInputStream(path).read() > 0) {
      System.out.println(path);
    }
    if ((new FileInputStream(path)).read() > 0) {
      System.out.println(path);
    }
  }"""
    assert all("if (in.read() > 0) {" in text for text in safe(body))


def test_a_name_that_only_its_capitals_tell_from_another_is_not_taken() -> None:
    [text] = safe(BODY.replace("path", "zipfile"))
    assert "openedZipFile.entries()" in text
