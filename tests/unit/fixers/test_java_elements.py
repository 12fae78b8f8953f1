"""What lies in an element of a collection that somebody is given: he may go on to use it."""

from __future__ import annotations

from tests.unit.fixers.members import safe

COPIED = """  interface Adapter { InputStream getGlobal(); boolean hasCrypt(); }
  static class Filter implements Closeable {
    private final String name;
    private final InputStream stream;
    Filter(String name, InputStream stream) { this.name = name; this.stream = stream; }
    static Filter newInstance(String name, InputStream stream) {
      if (name == null) throw new IllegalArgumentException("n");
      return new Filter(name, stream);
    }
    InputStream getStream() { return stream; }
    public void close() throws IOException { if (stream != null) { stream.close(); } }
  }
  static class Image {
    private final List<Filter> filters;
    Image(List<Filter> filters) {
      this.filters = new ArrayList<>();
      for (Filter each : filters) {
        this.filters.add(new Filter(each.name, each.stream));
      }
    }
    static Image of(List<Filter> filters) { return new Image(filters); }
    List<Filter> getFilters() { return filters; }
  }
  Image getData(List<String> names, Adapter adapter) {
    List<Filter> found = new ArrayList<>();
    for (String name : names) {
      switch (name) {
        case "A":
          found.add(Filter.newInstance(name, null));
          break;
        case "B":
          found.add(Filter.newInstance(name, adapter.getGlobal()));
          break;
        case "C":
          if (adapter.hasCrypt()) {
            return null;
          }
        default:
          found.add(Filter.newInstance(name, null));
      }
    }
    return Image.of(found);
  }"""


def test_who_is_given_a_collection_may_use_what_its_elements_hold() -> None:
    """Here the images take what filters hold into filters of their own, and hand that out."""
    assert not safe(COPIED)
    assert not safe(COPIED.replace("return Image.of(found);", "return found.isEmpty() ? null : Image.of(found);"))


def test_so_may_who_is_named_with_a_method_of_the_collection() -> None:
    used = "found.forEach(each -> System.out.println(each.getStream()));\n    return null;"
    assert not safe(COPIED.replace("return Image.of(found);", used))
    assert not safe(COPIED.replace("return Image.of(found);", used.replace("forEach", "stream().forEach")))
    assert safe(COPIED.replace("return Image.of(found);", "System.out.println(found.size());\n    return null;"))


DEEP = """  Image made(Adapter adapter) {
    List<Pair> found = new ArrayList<>();
    found.add(new Pair(new Filter("a", adapter.getGlobal())));
    if (adapter.hasCrypt()) {
      return null;
    }
    return new Image(found);
  }

  interface Adapter { InputStream getGlobal(); boolean hasCrypt(); }

  static class Filter {
    final InputStream stream;
    Filter(String name, InputStream stream) { this.stream = stream; }
  }

  static class Pair {
    final Filter left;
    Pair(Filter left) { this.left = left; }
  }

  static class Image {
    final List<Filter> filters = new ArrayList<>();
    Image(List<Pair> all) {
      for (Pair each : all) {
        filters.add(new Filter("b", each.left.stream));
      }
    }
  }"""


def test_an_element_may_hold_it_deep_inside() -> None:
    assert not safe(DEEP)
