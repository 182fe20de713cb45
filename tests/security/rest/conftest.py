"""The worlds of tests/api."""

from tests.api.conftest import api, template, world

__all__ = ["api", "template", "world"]
