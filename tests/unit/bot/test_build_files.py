"""What the build files say of the release beside plain numbers: names of values, imported files, what Eclipse keeps."""

from __future__ import annotations

import pytest

from analyzers.tree import MemoryTree
from bot.build_files import BuildFiles, is_build_file, release_in


def release(files: dict[str, bytes], path: str = "src/A.java") -> int:
    return BuildFiles(MemoryTree(files)).java_release(path)


@pytest.mark.parametrize(
    "said",
    [
        b"sourceCompatibility = javaLevel", b"sourceCompatibility = project.javaLevel", b'sourceCompatibility = "${javaLevel}"', b'targetCompatibility = "$javaLevel"',
        b"sourceCompatibility = JavaVersion.toVersion(javaLevel)", b"sourceCompatibility = project.property('javaLevel')", b'sourceCompatibility = findProperty("javaLevel")',
        b"java { sourceCompatibility = providers.gradleProperty('javaLevel').get() }", b"options.release = javaLevel.toInteger()", b"options.release.set(javaLevel as int)",
        b"sourceCompatibility = targetCompatibility = javaLevel",
    ],
)  # fmt: skip
def test_properties_of_gradle_give_names_of_a_script_their_values(said: bytes) -> None:
    assert release({"build.gradle": said, "gradle.properties": b"group=a.b\njavaLevel=6\n"}) == 6
    assert release({"part/build.gradle": said, "gradle.properties": b"javaLevel=1.5\n"}, "part/src/A.java") == 5
    assert release({"build.gradle": said}) == 0


def test_scripts_give_names_their_values_too() -> None:
    assert release({"build.gradle": b"ext { level = 1.6 }\nsourceCompatibility = level"}) == 6
    assert release({"build.gradle": b"def level = '1.5'\nsourceCompatibility level"}) == 5
    assert release({"build.gradle.kts": b'val level = "6"\njava { sourceCompatibility = JavaVersion.toVersion(level) }'}) == 6
    above = {"build.gradle": b"ext.levels = [java: JavaVersion.VERSION_1_6, min: 14]", "app/build.gradle": b"sourceCompatibility rootProject.ext.levels.java"}
    assert release(above, "app/src/A.java") == 6


def test_properties_of_gradle_may_say_the_release_themselves() -> None:
    assert release({"build.gradle": b"apply plugin: 'java'", "gradle.properties": b"sourceCompatibility=1.6\n"}) == 6
    assert release({"build.gradle": b"sourceCompatibility = 8", "gradle.properties": b"sourceCompatibility=1.6\n"}) == 8


def test_a_version_of_the_project_is_no_release() -> None:
    files = {"build.gradle": b"release = project.version\nsourceCompatibility = JavaVersion.current()", "gradle.properties": b"version=5.0.1\ncurrent=yes\n"}
    assert release(files) == 0


def test_lines_of_a_script_in_comments_say_nothing() -> None:
    assert release({"build.gradle": b"  // sourceCompatibility = 1.5\nsourceCompatibility = 1.8"}) == 8


def test_a_catalog_of_versions_says_the_release_and_the_oldest_devices() -> None:
    catalog = b'[versions]\nmin-sdk = "16"\njava = "6"\nmin-other = "x"\n[libraries]\n'
    files = {"gradle/libs.versions.toml": catalog, "app/build.gradle": b"minSdk = libs.versions.min.sdk.get().toInteger()"}
    assert release(files, "app/src/A.java") == 6
    assert release({**files, "gradle/libs.versions.toml": catalog.replace(b"16", b"21")}, "app/src/A.java") == 0
    assert release({**files, "app/build.gradle": b"sourceCompatibility = JavaVersion.toVersion(libs.versions.java.get())"}, "app/src/A.java") == 6
    named = {"build.gradle": b"ext { minLevel = 14 }", "app/build.gradle": b"minSdkVersion rootProject.ext.minLevel"}
    assert release(named, "app/src/A.java") == 6


def test_files_that_one_of_ant_imports_are_read() -> None:
    main = b'<property name="level" value="1.6"/><target name="compile"><javac srcdir="src" source="${level}"/></target>'
    assert release({"build.xml": b'<import file="common-build.xml"/>', "common-build.xml": main}) == 6
    assert release({"build.xml": b'<property name="level" value="1.5"/><import file="ant/build-main.xml"/>', "ant/build-main.xml": main}) == 5
    deep = {"build.xml": b'<import file="ant/build-one.xml"/>', "ant/build-one.xml": b'<include file="build-two.xml"/><import file="build-one.xml"/>', "ant/build-two.xml": main}
    assert release(deep) == 6
    assert release({"build.xml": b'<import file="${elsewhere}/build-main.xml"/><import file="../../build.xml"/>'}) == 0
    named = b'<property name="etc" value="config"/><property file="${etc}/build-of-all.properties"/><javac source="${java.source}"/>'
    assert release({"build.xml": named, "config/build-of-all.properties": b"java.source=1.5\n"}) == 5


def test_what_eclipse_keeps_counts_where_no_build_file_says_a_release() -> None:
    kept = b"eclipse.preferences.version=1\norg.eclipse.jdt.core.compiler.compliance=1.8\norg.eclipse.jdt.core.compiler.source=1.6\n"
    files = {"one/.settings/org.eclipse.jdt.core.prefs": kept}
    assert release(files, "one/src/A.java") == 6
    assert release({**files, "pom.xml": b"<release>11</release>"}, "one/src/A.java") == 11
    assert release({**files, "build.xml": b"<project/>"}, "one/src/A.java") == 6
    newer = b"class A { java.util.List<String> a = new java.util.ArrayList<>(); }"
    assert release({**files, "one/src/A.java": newer}, "one/src/A.java") == 7


def test_the_lowest_environment_that_a_bundle_names_counts() -> None:
    bundle = b"Bundle-Name: one\r\nBundle-RequiredExecutionEnvironment: JavaSE-1.8,\r\n J2SE-1.5\r\nBundle-Vendor: JavaSE-1.4\r\n"
    assert release({"META-INF/MANIFEST.MF": bundle}) == 5
    assert release_in("META-INF/MANIFEST.MF", "Bundle-RequiredExecutionEnvironment: CDC-1.1/Foundation-1.1\n") == 0
    assert release({"build.xml": b"<project/>", "build.properties": b"source.. = src/\njavacSource = 1.6\n"}) == 6


def test_maven_takes_the_release_of_a_bundle_of_eclipse_from_there() -> None:
    pom = b"<project><packaging>eclipse-plugin</packaging><properties><java.version>17</java.version></properties></project>"
    assert release({"pom.xml": pom, "META-INF/MANIFEST.MF": b"Bundle-RequiredExecutionEnvironment: J2SE-1.5\n"}) == 5
    assert release({"pom.xml": pom}) == 17


def test_files_that_others_name_are_read_by_their_names() -> None:
    assert all(map(is_build_file, ("a/common-build.xml", "build-all.properties", "x/settings.gradle", "META-INF/MANIFEST.MF", "gradle/libs.versions.toml", "pom-parent.xml", "build/parent-of-all.xml", "a/.settings/org.eclipse.jdt.core.prefs")))
    assert not any(map(is_build_file, ("a/web.xml", "messages.properties", "a.toml", "build.xml/a.txt")))


def test_hostile_scripts_are_read_in_no_time() -> None:
    assert release({"build.gradle": b"sourceCompatibility = a\n" * 50_000, "gradle.properties": b"b=1\n" * 50_000}) == 0
    assert release({"build.xml": b'<import file="build.xml"/>' * 50_000}) == 0


def test_a_parent_of_maven_lies_where_its_path_says() -> None:
    child = b"<project><parent><artifactId>whole</artifactId><relativePath>../parent</relativePath></parent></project>"
    named = child.replace(b"../parent", b"../../pom-parent.xml")
    parent = b"<project><parent><artifactId>all</artifactId><relativePath>../base/pom-base.xml</relativePath></parent></project>"
    says = b"<project><properties><maven.compiler.release>11</maven.compiler.release></properties></project>"
    assert release({"one/pom.xml": child, "parent/pom.xml": says}, "one/src/A.java") == 11
    assert release({"part/one/pom.xml": named, "pom-parent.xml": says, "pom.xml": says.replace(b"11", b"17")}, "part/one/src/A.java") == 11
    assert release({"one/pom.xml": child, "parent/pom.xml": parent, "base/pom-base.xml": says}, "one/src/A.java") == 11
    assert release({"one/pom.xml": child}, "one/src/A.java") == 0
    again = child.replace(b"../parent", b"../one/pom.xml")
    assert release({"one/pom.xml": again}, "one/src/A.java") == 0
    outside = child.replace(b"../parent", b"../../../etc/pom.xml")
    assert release({"one/pom.xml": outside, "pom.xml": says}, "one/src/A.java") == 11
