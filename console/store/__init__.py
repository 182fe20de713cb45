"""The console's own tables; the only package with SQL.

Functions take a connection and never commit: whoever opened `write(engine)` decides what one
transaction holds, so that a change and its ledger entry cannot come apart.
"""
