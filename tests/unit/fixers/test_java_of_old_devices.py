"""What devices of old Android do not have yet is not called by a patch."""

from __future__ import annotations

from tests.unit.fixers.patching import mended


def test_a_client_of_a_content_provider_is_released_as_it_always_could_be() -> None:
    source = (
        "import android.content.*;\nimport android.net.Uri;\nclass A {\n    void clear(ContentResolver r, Uri u) throws Exception {\n"
        "        ContentProviderClient c = r.acquireContentProviderClient(u);\n        c.delete(u, null, null);\n    }\n}\n"
    )
    after = mended("A.java", source.encode()).decode()
    assert "        } finally {\n            c.release();\n        }\n" in after
    assert mended("A.java", source.replace("c.delete(u, null, null);", "try {\n            c.delete(u, null, null);\n        } finally {\n            c.close();\n        }").encode()).decode().count("c.close()") == 1
