"""What a field takes, said in the field."""

from __future__ import annotations

import pytest

from console.forms.form import open_form


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "minLength": 1}, "text, at least 1 character"),
        ({"type": "string", "maxLength": 20}, "text, at most 20 characters"),
        ({"type": "array", "minItems": 1, "maxItems": 2}, "list, at least 1 item, at most 2 items"),
        ({"type": "integer", "minimum": 1}, "whole number, at least 1"),
    ],
)
def test_what_a_field_takes_is_counted_in_the_right_form(schema: dict[str, object], said: str) -> None:
    form = open_form({}, {"properties": {"x": schema}})
    assert form.tree.children[0].hint == said
