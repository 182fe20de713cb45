"""JSON values kept exact, and forms made of JSON Schema. Pure Python."""
