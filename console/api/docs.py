"""The API's description for people: Swagger UI from our own files, started without an inline script."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

router = APIRouter()
# FastAPI's own page loads from a CDN and starts by an inline script; our CSP refuses both. The build
# puts the files into /swagger.
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Review Console API</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/swagger/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/swagger/swagger-ui-bundle.js"></script>
<script src="/swagger/init.js"></script>
</html>
"""


@router.get("/docs", include_in_schema=False)
def docs() -> Response:
    return HTMLResponse(PAGE)
