"""The services' worlds, for attacks on them."""

from tests.services.conftest import folder, fresh_throttles, tables, worlds

__all__ = ["folder", "fresh_throttles", "tables", "worlds"]
