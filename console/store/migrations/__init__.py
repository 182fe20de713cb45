"""Alembic revisions of the console's own tables."""
