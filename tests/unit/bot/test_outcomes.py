"""The names of findings, and which files are tests."""

from __future__ import annotations

import pytest

from analyzers.finding import Confidence, Finding, Role, Step
from analyzers.source import Span
from analyzers.tree import MemoryTree
from bot.build_files import BuildFiles, release_in
from bot.outcomes import believed, fingerprint, is_test, names
from fixers import Declined, Fix


def finding(path: str = "a.c", procedure: str = "f", text: str = "open()", ordinal: int = 0) -> Finding:
    span = Span(path, 0, 1)
    return Finding(
        rule="r", cwe=1, language="c", detectors=("t",), confidence=Confidence.WITNESSED, path=path,
        procedure=procedure, resource="R", variable="x", message="m", witness=(Step(Role.ACQUIRE, span, ""),),
        acquired=span, lost=span, text=text, ordinal=ordinal,
    )


def test_a_matched_finding_keeps_its_name_and_says_what_it_would_have_been() -> None:
    (name,) = names([finding(path="new.c")], [finding(path="old.c")], "")
    assert name.fingerprint == finding(path="old.c").fingerprint
    assert name.was == finding(path="new.c").fingerprint
    (same,) = names([finding()], [finding()], "")
    assert same.was is None


def test_no_two_findings_of_a_report_have_one_name() -> None:
    """A second equal acquisition above the first: the old one keeps ordinal 0, the new one takes what is free."""
    found = [finding(ordinal=0), finding(ordinal=1), finding(ordinal=2)]
    named = names(found, [None, finding(ordinal=0), None], "")
    assert named[1].fingerprint == finding(ordinal=0).fingerprint
    assert named[1].was == finding(ordinal=1).fingerprint
    assert len({name.fingerprint for name in named}) == 3
    assert named == names(found, [None, finding(ordinal=0), None], "")


def test_a_part_of_a_repository_gives_the_names_of_the_whole() -> None:
    assert fingerprint(finding(path="x.c"), "src/") == finding(path="src/x.c").fingerprint
    static = finding(path="x.c", procedure="x.c:helper")
    assert fingerprint(static, "src/") == finding(path="src/x.c", procedure="src/x.c:helper").fingerprint
    assert fingerprint(finding(), "") == finding().fingerprint


def test_what_a_second_check_refutes_is_assumed() -> None:
    assert believed(finding(), Declined(finding(), "lost on no path", is_refuted=True)).confidence is Confidence.ASSUMED
    assert believed(finding(), Declined(finding(), "no form fits")).confidence is Confidence.WITNESSED


def test_what_a_second_check_cannot_follow_either_is_assumed() -> None:
    assert believed(finding(), Declined(finding(), "no form fits", is_doubted=True)).confidence is Confidence.ASSUMED
    assert believed(finding(), Fix(finding(), "Free it", (), (), is_doubted=True)).confidence is Confidence.ASSUMED
    assert believed(finding(), Fix(finding(), "Free it", (), ())).confidence is Confidence.WITNESSED


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/test/java/shop/Reader.java", True),
        ("src/main/java/shop/ReaderTest.java", True),
        ("src/main/java/shop/ReaderIT.java", True),
        ("tests/unit/a.c", True),
        ("lib/parse_test.c", True),
        ("lib/test_parse.c", True),
        ("src/main/java/shop/Contest.java", False),
        ("src/main/java/shop/Audit.java", False),
        ("lib/latest.c", False),
        ("attestation/a.c", False),
        ("src/main/java/shop/Reader.java", False),
    ],
)
def test_test_code_is_told_by_its_place_or_name(path: str, expected: bool) -> None:
    assert is_test(path) is expected


@pytest.mark.parametrize(
    ("name", "text", "release"),
    [
        ("pom.xml", "<maven.compiler.release>17</maven.compiler.release>", 17),
        ("pom.xml", "<maven.compiler.source>1.8</maven.compiler.source>", 8),
        ("pom.xml", "<configuration><release> 11 </release></configuration>", 11),
        ("pom.xml", "<java.version>21</java.version>", 21),
        ("pom.xml", "<maven.compiler.release>${java}</maven.compiler.release>", 0),
        ("pom.xml", "<version>17</version>", 0),
        ("pom.xml", "<mojo.java.target>1.5</mojo.java.target>", 5),
        ("pom.xml", "<java.level>8</java.level>", 8),
        ("pom.xml", "<maven.compile.source>1.6</maven.compile.source>", 6),
        ("pom.xml", "<properties><of.all>1.6</of.all></properties><source>${of.all}</source>", 6),
        ("pom.xml", "<maven.compiler.source>${one}</maven.compiler.source><one>${two}</one><two>11</two>", 11),
        ("pom.xml", "<release>${one}</release><one>${one}</one><source>8</source>", 8),
        ("pom.xml", "<execution><release>9</release><include>module-info.java</include></execution>", 0),
        ("pom.xml", "<execution><release>9</release><multiReleaseOutput>true</multiReleaseOutput></execution><source>8</source>", 8),
        ("pom.xml", "<execution><release>11</release><exclude>module-info.java</exclude></execution>", 11),
        ("pom.xml", "<!-- <release>17</release> --><source>8</source>", 8),
        ("build.gradle", "sourceCompatibility = '1.8'", 8),
        ("build.gradle", "sourceCompatibility = JavaVersion.VERSION_1_8", 8),
        ("build.gradle", "targetCompatibility = JavaVersion.VERSION_17", 17),
        ("build.gradle", "options.release = 11", 11),
        ("build.gradle.kts", "languageVersion.set(JavaLanguageVersion.of(21))", 21),
        ("build.gradle.kts", "options.release.set(17)", 17),
        ("build.gradle", "compiler { languageVersion = JavaLanguageVersion.of(17) }\nsourceCompatibility = '1.8'", 8),
        ("build.gradle", "options.release = 11\nsourceCompatibility = '1.8'", 11),
        ("build.gradle", "version = '17'", 0),
        ("build.xml", '<javac srcdir="src"\n  source="1.4" target="1.5"/>', 4),
        ("build.xml", '<!-- <javac source="1.3"/> --><property name="level" value="1.7"/><property name="level" value="1.2"/><javac source="${level}"/>', 7),
        ("build.xml", '<javac source="11" target="11"/><javac source="1.8"/><javac source="${elsewhere}"/>', 8),
        ("build.xml", '<javac release="17" source="1.8"/>', 17),
        ("build.xml", '<property value="1.6" name="level"/><javac source="${level}"/>', 6),
        ("build.xml", '<javac source="9"/><!-- <javac source="8"/>', 9),
        ("build.xml", '<javac srcdir="src"/><jar source="3"/>', 0),
    ],
)
def test_the_java_release_of_a_build_file(name: str, text: str, release: int) -> None:
    assert release_in(name, text) == release


def test_the_nearest_build_file_that_says_one_counts() -> None:
    tree = MemoryTree(
        {
            "pom.xml": b"<maven.compiler.release>11</maven.compiler.release>",
            "old/pom.xml": b"<maven.compiler.release>8</maven.compiler.release>",
            "old/quiet/pom.xml": b"<project/>",
        }
    )
    builds = BuildFiles(tree)
    assert builds.java_release("src/A.java") == 11
    assert builds.java_release("old/src/A.java") == 8
    assert builds.java_release("old/quiet/src/A.java") == 8
    assert BuildFiles(MemoryTree({})).java_release("A.java") == 0
    given = {"pom.xml": b"<properties><of.all>1.5</of.all></properties>", "part/pom.xml": b"<source>${of.all}</source>", "part/B.java": b"class B { }"}
    assert BuildFiles(MemoryTree(given)).java_release("part/A.java") == 5


def test_properties_may_lie_in_a_file_that_the_build_file_names() -> None:
    ant = b'<property name="level" value="${java.level}"/><property file="${basedir}/etc/build.properties"/><javac source="${level}"/>'
    tree = MemoryTree({
        "build.xml": ant, "etc/build.properties": b"# java.level=8\nname: value\njava.level = 1.6\n",
        "away/build.xml": ant.replace(b"etc/", b"../../"), "none/build.xml": ant,
        "shown/build.xml": b'<import file="nbproject/build-impl.xml"/>', "shown/nbproject/project.properties": b"javac.source=1.5\njavac.target=1.5\n",
        "of all/build.xml": b'<import file="../main.xml"/>', "of all/nbproject/project.properties": b"javac.source=1.6\n", "of all/client/build.xml": b'<import file="../../main.xml"/>',
    })  # fmt: skip
    builds = BuildFiles(tree)
    assert [builds.java_release(path) for path in ("A.java", "shown/A.java", "of all/A.java", "of all/client/A.java")] == [6, 5, 6, 6]
    assert [release_in("build.xml", ant.decode(), lambda name: {"${basedir}/etc/build.properties": "java.level=7"}.get(name, "")), builds.java_release("away/A.java")] == [7, 6]


def test_scripts_that_gradle_applies_are_read() -> None:
    old = b"apply plugin: 'java'\nsourceCompatibility = 1.6\n"
    tree = MemoryTree({
        "one/build.gradle": b"apply from: 'gradle/none.gradle'\nproject(':part') {\n  apply from: file('../gradle/rules.gradle')\n}\n", "one/gradle/rules.gradle": old,
        "two/build.gradle.kts": b'apply(from = "${rootDir}/rules.gradle")\n', "two/rules.gradle": old, "own/build.gradle": b"apply from: 'rules.gradle'\nsourceCompatibility = 1.8\n",
        "own/rules.gradle": old, "away/build.gradle": b"apply from: 'https://a.org/rules.gradle'\n",
    })  # fmt: skip
    builds = BuildFiles(tree)
    assert [builds.java_release(path) for path in ("one/part/A.java", "two/A.java", "own/A.java", "away/A.java")] == [6, 6, 8, 0]


def test_a_build_file_of_any_text_is_read_in_no_time() -> None:
    hostile = "<property " + 'name="a" ' * 100_000 + "<!-- " * 100_000 + '--><javac source="5"/>'
    assert release_in("build.xml", hostile) == 5


def test_maven_counts_before_ant() -> None:
    tree = MemoryTree({"build.xml": b'<javac source="1.4"/>', "pom.xml": b"<java.version>17</java.version>", "sub/build.xml": b'<javac source="1.5"/>'})
    assert BuildFiles(tree).java_release("src/A.java") == 17
    assert BuildFiles(tree).java_release("sub/A.java") == 5


def test_sources_that_need_a_newer_release_than_their_build_file_says_are_believed() -> None:
    files = {
        "pom.xml": b"<source>1.5</source>", "a/New.java": b"class New { void run() { try (java.io.Reader in = open()) { } } }",
        "a/Old.java": b"class Old { }", "b/Old.java": b"class Old { }", "c/Lambda.java": b"class Lambda { Runnable run = () -> { }; }",
        "d/Bare.java": b"class Bare { java.util.List<String> all = new java.util.ArrayList<>(); }", "e/Torn.java": b"class Torn { Runnable run = () -> { }; ",
    }
    builds = BuildFiles(MemoryTree(files))
    assert [builds.java_release(path) for path in ("a/Old.java", "b/Old.java", "c/Lambda.java", "d/Bare.java", "e/Torn.java", "")] == [7, 5, 8, 7, 5, 5]


def test_the_oldest_devices_count_where_no_build_file_says_more() -> None:
    old, new = (f'<manifest><uses-sdk\n android:minSdkVersion="{level}" android:targetSdkVersion="28"/></manifest>'.encode() for level in (9, 21))
    assert release_in("AndroidManifest.xml", old.decode()) == 6
    assert release_in("AndroidManifest.xml", new.decode()) == 0
    assert BuildFiles(MemoryTree({"AndroidManifest.xml": old, "lib/AndroidManifest.xml": new})).java_release("lib/src/A.java") == 6
    both = {"AndroidManifest.xml": old, "build.gradle": b"sourceCompatibility JavaVersion.VERSION_1_8"}
    assert BuildFiles(MemoryTree(both)).java_release("src/A.java") == 8
    gradle = {"build.gradle": b"x", "old/build.gradle": b"minSdkVersion 14", "new/build.gradle.kts": b"minSdk = 21", "told/build.gradle": b"minSdkVersion 14\nsourceCompatibility 1.8"}
    assert [BuildFiles(MemoryTree(gradle)).java_release(f"{each}/src/A.java") for each in ("old", "new", "told")] == [6, 0, 8]
    gradle |= {"old/src/B.java": b"class B { java.util.List<String> a = new java.util.ArrayList<>(); }", "old/new/C.java": b"class C { Runnable run = () -> { }; }"}
    assert [BuildFiles(MemoryTree(gradle)).java_release(f"old/{each}/A.java") for each in ("src", "new")] == [6, 8]


PARENT = b"<project><parent><groupId>org.one</groupId><artifactId>above</artifactId><version>3</version></parent><artifactId>own</artifactId></project>"


def test_a_release_that_is_left_to_a_parent_outside_is_what_the_sources_show() -> None:
    old, new = b"class A { }", b"class B { java.util.List<String> a = new java.util.ArrayList<>(); }"
    files = {"one/pom.xml": PARENT, "one/src/A.java": old, "two/pom.xml": PARENT, "two/src/A.java": old, "two/src/deep/B.java": new}
    builds = BuildFiles(MemoryTree(files))
    assert (builds.patch_release("one/src/A.java"), builds.patch_release("two/src/A.java")) == (6, 0)
    assert builds.java_release("one/src/A.java") == 0


def test_a_project_among_the_sources_says_nothing_of_the_release() -> None:
    new = b"class B { java.util.List<String> a = new java.util.ArrayList<>(); }"
    files = {"one/pom.xml": PARENT, "one/src/A.java": b"class A { }", "one/src/it/some/pom.xml": PARENT, "one/src/it/some/B.java": new}
    assert BuildFiles(MemoryTree(files)).patch_release("one/src/A.java") == 6
    del files["one/src/it/some/pom.xml"]
    assert BuildFiles(MemoryTree(files)).patch_release("one/src/A.java") == 0


def test_a_parent_in_the_tree_leaves_nothing_to_others() -> None:
    above = b"<project><artifactId>above</artifactId></project>"
    builds = BuildFiles(MemoryTree({"pom.xml": above, "one/pom.xml": PARENT, "one/A.java": b"class A { }"}))
    assert builds.patch_release("one/A.java") == 0
    builds = BuildFiles(MemoryTree({"pom.xml": PARENT.replace(b">above<", b">far<").replace(b">own<", b">above<"), "one/pom.xml": PARENT, "one/A.java": b"class A { }"}))
    assert builds.patch_release("one/A.java") == 6


def test_a_property_that_maven_gives_to_its_own_projects_is_a_release() -> None:
    assert release_in("pom.xml", "<properties><javaVersion>7</javaVersion></properties>") == 7
