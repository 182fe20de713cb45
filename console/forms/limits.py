"""How much of a schema or of its arguments is drawn and kept; beyond it there is exact JSON text.

Everything a form is made of may come from an agent. Each figure is the size at which a person, a page or
one process with other people waiting stops coping, and nothing is lost beyond it: the JSON text holds all.
"""

from __future__ import annotations

# Each level indents by one step; at 390 px there is no room for a ninth.
MAX_LEVELS = 8
# The whole form: 1,000 inputs are as many as a browser lays out while a person waits.
MAX_FIELDS = 1_000
# Of one object or list: the longest that can be scrolled through and still be overlooked.
MAX_CHILDREN = 300
# A chain of references, or of schemas combined with allOf, that an honest generator would not write.
MAX_STEPS_TO_A_SCHEMA = 32
# A choice among more forms than this is no choice that a person can make from a list.
MAX_VARIANTS = 40
# An enum longer than this is a text with a check behind it.
MAX_OPTIONS = 500
# Seconds of work for choosing variants and branches while a tree is built: what a page may wait for.
MAX_TREE_SECONDS = 0.25
# Steps of one draft. Typing in one field is one step, so this is more than a review can need.
MAX_EDITS = 1_000
# Characters of one typed value; a body over REST has at most 1,000,000 bytes, too.
MAX_TEXT = 1_000_000
# Texts this long, or with line breaks, get an area of several lines.
LONG_TEXT = 60
# What a stored answer can carry (MessagePack): outside it the run dies after the decision was recorded.
MIN_INT, MAX_INT = -(2**63), 2**64 - 1
# Errors shown at most: nobody mends more at once, and a list with 10,000 wrong items has as many.
MAX_ERRORS = 200
# A number's exponent beyond which exact arithmetic would fill the memory with zeros.
MAX_EXPONENT = 10_000
