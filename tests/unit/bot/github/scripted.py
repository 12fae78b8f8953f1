"""A GitHub that answers what a test wrote down, over real HTTP, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Any, dict[str, str]]
Script = Callable[["Asked"], Reply]


class Asked:
    """One request."""

    def __init__(self, verb: str, path: str, headers: dict[str, str], body: Any) -> None:
        self.verb, self.path, self.headers, self.body = verb, path, headers, body


class ScriptedGitHub:
    """Answers each request by the script; use it in a `with`."""

    def __init__(self, script: Script) -> None:
        asked: list[Asked] = []
        self.asked = asked

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                request = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                asked.append(request)
                status, value, headers = script(request)
                content = b"" if status in (204, 304) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name, text)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

            def log_message(self, *words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedGitHub:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def count(self, verb: str, path: str) -> int:
        return sum(each.verb == verb and each.path.startswith(path) for each in self.asked)
