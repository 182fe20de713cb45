"""The command `console`. Errors are one line on stderr: exit 2 for wrong use, 1 for failure."""

import logging
import sys
from typing import Annotated, Any

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

from console import __version__, commands
from console.commands._options import Config, Data, Failure, WrongUse, read_settings


class OneLineErrors(typer.Typer):
    """Typer draws a box of several lines around a wrong use; a script wants one."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            status = super().__call__(*args, standalone_mode=False, **kwargs)
        except WrongUse as wrong:
            sys.exit(fail(str(wrong), 2))
        except NoArgsIsHelpError as help_shown:
            sys.exit(help_shown.exit_code)
        except ClickException as wrong:
            sys.exit(fail(wrong.format_message(), wrong.exit_code))
        except Failure as failure:
            sys.exit(fail(str(failure), 1))
        except typer.Abort:
            sys.exit(fail("cancelled", 1))
        sys.exit(status or 0)


def fail(message: str, status: int) -> int:
    print("console: " + " ".join(message.split()), file=sys.stderr, flush=True)
    return status


app = OneLineErrors(
    name="console",
    help="Where people decide what a paused agent may do.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for name, group in commands.groups():
    app.add_typer(group, name=name)


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("console").setLevel(logging.INFO)


@app.command()
def serve(
    demo: Annotated[bool, typer.Option("--demo", help="With the demo agent, shop and accounts")] = False,
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on [3000]")] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave runs to `console worker`")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Serve the console until Ctrl-C."""
    from console.server import ServeError, SettingsError
    from console.server import serve as serve_until_stopped

    _log_to_stderr()
    server = {key: value for key, value in (("host", host), ("port", port)) if value is not None}
    given: dict[str, Any] = {"server": server}
    if demo:
        given["demo"] = True
    if no_worker:
        given["worker"] = False
    try:
        serve_until_stopped(read_settings(config, data, **given))
    except SettingsError as wrong:
        raise WrongUse(str(wrong)) from None
    except ServeError as wrong:
        raise Failure(str(wrong)) from None


@app.command()
def worker(
    demo: Annotated[bool, typer.Option("--demo", help="With the demo agent and shop")] = False,
    data: Data = None,
    config: Config = None,
) -> None:
    """Run agents until Ctrl-C, beside any number of `console serve --no-worker`."""
    import signal
    import threading

    from console.commands._options import composed
    from console.services import starts
    from console.services.worker import running

    _log_to_stderr()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with composed(config, data, **({"demo": True} if demo else {})) as deps:
        started = starts.started(deps, "worker", __version__)
        with running(deps):
            typer.echo("The worker is ready.")
            stop.wait()
        starts.stopped(deps, "worker", started)
    typer.echo("The worker has stopped.")


@app.command()
def doctor(data: Data = None, config: Config = None) -> None:
    """Say what is set, what is missing and what is unsafe; exit 1 if anything is wrong."""
    from console.doctor import examine

    findings = examine(read_settings(config, data))
    for finding in findings:
        typer.echo(f"{finding.mark} {finding.subject}: {finding.detail}")
    if any(finding.mark == "bad" for finding in findings):
        raise Failure("doctor found what must be mended, see the lines marked bad")
