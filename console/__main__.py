from console.cli import app

app()
