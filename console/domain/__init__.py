"""What the product is about, in the standard library alone: no database, no framework, no clock."""
