"""Finding a compiled graph by its path: `package.module:name` or `./file.py:name`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from langgraph.pregel import Pregel

from console.sources.port import SourceError


def load_graph(path: str, folder: Path) -> Pregel[Any, Any, Any, Any]:
    """Import the graph, or call the factory found under the name; runs the agent author's code."""
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise SourceError(f'the graph "{path}" is not of the form "module:name" or "./file.py:name"')
    try:
        module = _module(module_name, folder)
        found = getattr(module, attribute)
        graph = found if isinstance(found, Pregel) else found()
    except SourceError:
        raise
    except Exception as problem:
        raise SourceError(
            f'the graph "{path}" could not be loaded: {type(problem).__name__}: {problem}'
        ) from problem
    if not isinstance(graph, Pregel):
        raise SourceError(f'"{path}" is a {type(graph).__name__}, not a compiled graph')
    return graph


def _module(name: str, folder: Path) -> Any:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    file = (folder / name).resolve()
    if not file.is_file():
        raise SourceError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location(f"console_agent_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise SourceError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
