"""Patches have blanks inside of parentheses where the file has them in its statements."""

from __future__ import annotations

from fixers.padding import is_padded, padded
from tests.unit.fixers.patching import mended

SOURCE = """// release: 7
import java.io.*;
class Case
{
    int load( String path )
    {
        if ( path == null )
        {
            return 0;
        }
        try
        {
            FileInputStream in = new FileInputStream( name( path ) );
            return in.read();
        }
        catch ( IOException e )
        {
            return 1;
        }
    }

    int count( String path ) throws IOException
    {
        while ( path.isEmpty() )
        {
            path = name( path );
        }
        FileInputStream in = new FileInputStream( path );
        int first = in.read();
        return first;
    }
}
"""


def test_headers_have_blanks_inside_where_statements_have_them() -> None:
    after = mended("Case.java", SOURCE.encode()).decode()
    assert "        try ( FileInputStream in = new FileInputStream( name( path ) ) )\n        {\n            return in.read();" in after
    assert "        try ( FileInputStream in = new FileInputStream( path ) )\n        {\n" in after
    plain = SOURCE.replace("( ", "(").replace(" )", ")")
    assert "try (FileInputStream in = new FileInputStream(path))" in mended("Case.java", plain.encode()).decode()


def test_only_whole_parentheses_are_padded() -> None:
    assert padded('try (A a = f(")"); B b = g(a)) {\n') == 'try ( A a = f(")"); B b = g(a) ) {\n'
    assert padded(" (A a = f())") == " ( A a = f() )"
    assert padded("try (A a = f(") == "try (A a = f("
    assert padded("if ( a ) {") == "if ( a ) {"
    assert not is_padded(b"if ( a ) b(); if (c) d();")


def test_a_file_of_few_statements_is_judged_by_its_calls() -> None:
    text = """import java.io.*;
class Case
{
    int load( File path ) throws IOException
    {
        InputStream in = open( path );
        int first = most( in.read(), 1 );
        return first;
    }

    InputStream open( File path ) throws IOException
    {
        return new FileInputStream( path );
    }
}
"""
    assert "try ( InputStream in = open( path ) )\n" in mended("Case.java", text.encode()).decode()
    mixed = text.replace("most( in.read(), 1 )", "most(in.read(), 1)")
    assert "try (InputStream in = open( path ))\n" in mended("Case.java", mixed.encode()).decode()
