"""Little programs with a leak each, and without: what command line tests run on."""

from __future__ import annotations

JAVA = """\
package shop;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

class Reader {
    int first(File file, boolean isEmpty) throws IOException {
        InputStream in = new FileInputStream(file);
        if (isEmpty) {
            return -1;
        }
        int value = in.read();
        in.close();
        return value;
    }
}
"""

C = """\
#include <stdio.h>

int first_byte(const char *path, int skip)
{
    FILE *file = fopen(path, "rb");
    int byte;

    if (file == NULL)
        return -1;
    if (skip)
        return -1;
    byte = fgetc(file);
    fclose(file);
    return byte;
}
"""

CLEAN_C = C.replace("    if (skip)\n        return -1;\n", "    (void)skip;\n")
