"""Where runs live: the Source port and its implementations; the only package that knows LangGraph."""
