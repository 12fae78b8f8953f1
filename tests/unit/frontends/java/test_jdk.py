"""The JDK model holds what a compiler would read from the JDK, and is cheap to open."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from analyzers.frontends.java import jdk
from analyzers.frontends.java.type_text import erase

MODEL = jdk.load_model()


def method(type_name: str, name: str, *parameters: str) -> jdk.Method:
    found = MODEL.find(type_name)
    assert found is not None
    return next(each for each in found.methods if each.name == name and each.parameters == parameters)


def test_constructors_declare_what_they_throw() -> None:
    opened = method("java.io.FileInputStream", "<init>", "java.lang.String")
    assert opened.throws == ("java.io.FileNotFoundException",)
    assert method("java.io.ByteArrayInputStream", "<init>", "byte[]").throws == ()


def test_supertypes_keep_their_arguments() -> None:
    found = MODEL.find("java.util.ArrayList")
    assert found is not None
    assert found.supertypes[0] == "java.util.AbstractList<#0>"


def test_generic_results_are_kept() -> None:
    assert method("java.util.Map", "get", "java.lang.Object").result == "#1"
    assert method("java.util.Optional", "map", "java.util.function.Function<#0,!0>").result == "java.util.Optional<!0>"


def test_nested_types_have_binary_names() -> None:
    assert "java.util.Map$Entry" in MODEL
    assert "java.util.Map.Entry" not in MODEL


@pytest.mark.parametrize(
    "name",
    [
        "java.sql.Connection", "java.net.http.HttpClient", "javax.xml.parsers.SAXParser", "javax.naming.Context",
        "javax.imageio.stream.ImageInputStream", "javax.sound.sampled.Clip", "java.util.logging.Handler",
        "javax.management.MBeanServer", "java.rmi.Remote", "com.sun.net.httpserver.HttpServer", "java.lang.ScopedValue",
    ],
)  # fmt: skip
def test_all_exported_modules_are_there(name: str) -> None:
    assert MODEL.find(name) is not None


def test_types_that_became_closeable_say_when() -> None:
    found = MODEL.find("java.util.concurrent.ExecutorService")
    assert found is not None
    assert "java.lang.AutoCloseable@19" in found.supertypes


def test_private_members_and_bridges_are_left_out() -> None:
    found = MODEL.find("java.lang.Integer")
    assert found is not None
    assert [each.parameters for each in found.methods if each.name == "compareTo"] == [("java.lang.Integer",)]
    assert not [each for each in found.fields if each.name == "value"]


def test_all_supertypes_are_in_the_model() -> None:
    missing = {
        erase(above.partition("@")[0])
        for name in MODEL.names()
        if (found := MODEL.find(name)) is not None
        for above in found.supertypes
    } - set(MODEL.names())
    assert not missing


def test_what_is_not_there_is_none() -> None:
    assert MODEL.find("java.io.NoSuchStream") is None


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="JDK model"):
        jdk.JdkModel(b"something else")


def test_it_is_small_and_opens_fast() -> None:
    assert Path(jdk.__file__).with_name("jdk.bin").stat().st_size < 1_500_000
    begin = time.process_time()
    model = jdk.load_model()
    opened = time.process_time()
    for name in model.names()[::5]:
        model.find(name)
    read = time.process_time()
    assert opened - begin < 0.05
    assert (read - opened) / len(model.names()[::5]) < 0.0001
