"""How the fake says no."""

from __future__ import annotations

import msgspec


class Refused(Exception):
    """An answer that is an error: its status, message, and the errors that GitHub lists."""

    def __init__(self, status: int, message: str, errors: list[object] | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.errors = status, message, errors
        self.headers = headers or {}

    def body(self) -> dict[str, object]:
        """What GitHub sends."""
        body: dict[str, object] = {
            "message": self.message,
            "documentation_url": "https://docs.github.com/rest",
            "status": str(self.status),
        }
        if self.errors is not None:
            body["errors"] = self.errors
        return body


class Answer(msgspec.Struct, frozen=True):
    """What a request gets."""

    status: int
    value: object = None
    headers: dict[str, str] = {}


def not_found() -> Refused:
    """Also for what the caller may not know of."""
    return Refused(404, "Not Found")


def forbidden() -> Refused:
    """A permission that the App was not given."""
    return Refused(403, "Resource not accessible by integration")


def invalid(resource: str, field: str, code: str = "invalid", message: str = "") -> Refused:
    """«Validation Failed» with one error."""
    error: dict[str, object] = {"resource": resource, "field": field, "code": code}
    if message:
        error["message"] = message
    return Refused(422, "Validation Failed", [error])
