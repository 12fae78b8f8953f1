"""What a header may hold only in newer versions of its library is closed in a `finally`, which all of them take."""

from __future__ import annotations

from tests.unit.fixers.patching import mended

BEFORE = """import org.hibernate.Session;
import org.hibernate.SessionFactory;

class Store {
    int count(SessionFactory factory) {
        Session session = factory.openSession();
        return session.createQuery("from Row").list().size();
    }
}
"""
AFTER = """import org.hibernate.Session;
import org.hibernate.SessionFactory;

class Store {
    int count(SessionFactory factory) {
        Session session = factory.openSession();
        try {
            return session.createQuery("from Row").list().size();
        } finally {
            session.close();
        }
    }
}
"""


def test_a_session_of_hibernate_is_closed_in_a_finally() -> None:
    assert mended("Store.java", BEFORE.encode()).decode() == AFTER
