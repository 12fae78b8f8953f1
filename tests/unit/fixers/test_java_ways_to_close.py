"""A patch that would leave two ways to close one thing is less than safe."""

from __future__ import annotations

from fixers import Applicability, Fix
from tests.unit.fixers.patching import answers

HEAD = """import java.io.*;
import java.sql.*;
import javax.sql.DataSource;

class A {
    private DataSource source;

"""


def applicabilities(body: str) -> list[Applicability]:
    return [each.applicability for each in answers("A.java", (HEAD + body + "}\n").encode()) if isinstance(each, Fix)]


def test_what_may_throw_behind_a_close_is_not_covered_by_another_one() -> None:
    body = """    Connection open() throws SQLException {
        Connection connection = source.getConnection();
        if (!connection.isValid(5)) {
            connection.close();
            return open();
        }
        connection.setAutoCommit(false);
        return connection;
    }
"""
    assert Applicability.SAFE not in applicabilities(body)
    assert applicabilities(body.replace("return open();", "return null;")) == [Applicability.SAFE]


def test_a_helper_that_closes_it_beside_others_is_a_way_to_close_it() -> None:
    body = """    static void closeAll(String log, AutoCloseable... all) {
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Exception e) {
                System.err.println(log);
            }
        }
    }

    static int count(Connection connection, String query) throws Exception {
        try {
            PreparedStatement rows = connection.prepareStatement(query);
            rows.setFetchSize(5000);
            try {
                int count = rows.executeUpdate();
                closeAll("done", rows);
                return count;
            } catch (Exception e) {
                closeAll("failed", rows);
                throw e;
            }
        } catch (Exception e) {
            closeAll("failed", connection);
            throw e;
        }
    }
"""
    assert Applicability.SAFE not in applicabilities(body)
