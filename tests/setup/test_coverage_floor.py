"""What `make coverage` calls too little."""

from __future__ import annotations

from typing import Any

from tests.coverage_floor import below


def files(**shares: float) -> dict[str, Any]:
    return {
        f"console/{name.replace('__', '/')}.py": {"summary": {"percent_covered": share}}
        for name, share in shares.items()
    }


def test_each_file_is_held_to_its_own_floor() -> None:
    found = below(files(domain__verdict=99.9, services__decide=99.0, services__audit=94.9, store__queue=60.0))
    assert [line.split(":")[0] for line in found] == [
        "console/store/queue.py",
        "console/services/decide.py",
        "console/services/audit.py",
        "console/domain/verdict.py",
    ]


def test_files_at_their_floor_are_not_named() -> None:
    assert below(files(domain__verdict=100.0, services__decide=100.0, services__audit=95.0)) == []
