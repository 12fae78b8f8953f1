"""Patches of C for what other machines count: Java's, Python's, Apple's."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

JAVA = """#include <jni.h>
jint first(JNIEnv *env, jobject self, jstring text, jbyteArray all)
{
    const char *s = (*env)->GetStringUTFChars(env, text, NULL);
    jbyte *bytes;
    jint n;

    if (s == NULL)
        return -1;
    bytes = (*env)->GetByteArrayElements(env, all, NULL);
    if (bytes == NULL)
        return -2;
    n = s[0] + bytes[0];
    (*env)->ReleaseStringUTFChars(env, text, s);
    return n;
}
"""

PYTHON = """#include <Python.h>
static PyObject *wrapped(int early, int late)
{
    PyObject *all = PyList_New(0), *made;

    if (all == NULL)
        return NULL;
    if (early)
        return NULL;
    made = Py_BuildValue("(iN)", 3, all);
    if (made == NULL || late)
        return NULL;
    return made;
}
"""

APPLE = """#include <CoreFoundation/CoreFoundation.h>
int shown(CFURLRef where)
{
    CFStringRef path = CFURLCopyPath(where);

    CFShow(path);
    return 0;
}
"""


def test_what_java_gave_is_given_back_by_the_same_table() -> None:
    after = mended("x.c", JAVA.encode()).decode()
    assert "    if (bytes == NULL) {\n        (*env)->ReleaseStringUTFChars(env, text, s);\n        return -2;\n    }\n" in after
    assert "    (*env)->ReleaseByteArrayElements(env, all, bytes, 0);\n" in after


def test_a_reference_that_a_format_takes_is_not_given_back_again() -> None:
    after = mended("x.c", PYTHON.encode()).decode()
    assert "    if (early) {\n        Py_XDECREF(all);\n        return NULL;\n    }\n" in after
    assert after.count("DECREF(all)") == 1
    assert after.count("DECREF(made)") == 1


def test_nothing_is_not_released_where_core_foundation_would_end_the_program() -> None:
    after = mended("x.c", APPLE.encode()).decode()
    assert "    if (path != NULL)\n        CFRelease(path);\n    return 0;\n" in after
