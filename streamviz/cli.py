"""The ``streamviz`` command: recorded streams, or one that is arriving, shown in the terminal.

What is asked for goes to standard output, what went wrong with the asking to standard error. Nothing from a stream
reaches the terminal before `display.untrusted` has seen it.
"""

from __future__ import annotations

import contextlib
import difflib
import glob
import json
import os
import re
import select
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn

import typer
from rich.console import RenderableType
from rich.progress import track
from rich.table import Table
from rich.text import Text

from . import __version__
from .assembly.payload import json_safe
from .chunks import NormalizedChunk
from .detection import detect
from .display import repair_text, run_card_text
from .display.terminal import ChunksView, FindingsJSONView, FindingsView, JSONView, Output, TableView, View, is_wrong
from .display.untrusted import json_escaped, visible_line
from .errors import StreamFaultError, UnknownProviderError
from .export import REPORT_CHUNKS, write_whole
from .providers import get_stream_wrapper, resolve_dialect, stream_wrapper_names
from .repair import repair_json
from .run import StreamRun, read


class RepairChoice(StrEnum):
    """The levels of repair."""

    off = "off"
    safe = "safe"
    guess = "guess"


FINE, WRONG_DATA, UNUSABLE = 0, 1, 2
"""Exit statuses: all is well; something in the data is wrong; wrong usage, or a file that cannot be read."""
_READ_BYTES = 64 * 1024
_MANY = 8
"""From how many files on a progress bar is worth its line."""

app = typer.Typer(
    help="See how a language model's streamed response is put together.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # the help is for pipes and screen readers too
)


def _complain(message: str) -> None:
    """Write what went wrong to standard error."""
    sys.stderr.write(f"streamviz: {visible_line(message)}\n")


def _fail(message: str) -> NoReturn:
    _complain(message)
    raise typer.Exit(UNUSABLE)


# -- what to read -----------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A stream to read: a file, or standard input where there is no path."""

    name: str
    path: Path | None = None

    @property
    def arrives(self) -> bool:
        """Whether it may still be growing: standard input, a named pipe, a process substitution."""
        return self.path is None or (self.path.exists() and not self.path.is_file())


def find_sources(arguments: Iterable[str]) -> Iterator[Source]:
    """Return the streams that the arguments name: files, folders with all that is in them, patterns, ``-``.

    Raises
    ------
    FileNotFoundError
        A folder or pattern holds no file.
    """
    for argument in arguments:
        path = Path(argument)
        if argument == "-":
            yield Source("-")
        elif path.is_dir():
            yield from _files_in(path)
        elif glob.has_magic(argument) and not path.exists():
            found = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207 - takes absolute patterns too
            if not found:
                raise FileNotFoundError(f"{argument}: no file matches")
            for name in found:
                if not Path(name).is_dir():
                    yield Source(name, Path(name))
                elif "**" not in argument:
                    yield from _files_in(Path(name))
        else:
            yield Source(argument, path)


def _files_in(folder: Path) -> Iterator[Source]:
    """Return the files below a folder in order of their names, hidden ones left out; links are not followed."""
    empty = True
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(root, name)
            if not name.startswith(".") and path.is_file():
                empty = False
                yield Source(str(path), path)
    if empty:
        raise FileNotFoundError(f"{folder}: no files in this folder")


Seen = Callable[[StreamRun, list[NormalizedChunk]], None]


def read_source(source: Source, provider: str | None, seen: Seen, **options: Any) -> StreamRun:
    """Read a stream. One that is arriving is read as it comes, and what had come is kept when the user stops it."""
    if not source.arrives:
        return read(source.path, provider, **options)
    run = StreamRun(provider, source="<stdin>" if source.path is None else source.name, **options)
    opened = contextlib.nullcontext(sys.stdin.buffer) if source.path is None else source.path.open("rb")
    with opened as file, contextlib.closing(_arriving(file)) as reads:
        try:
            for data in reads:
                seen(run, run.feed(data))
        except KeyboardInterrupt:
            return run.finish(aborted=True)
    return run.finish()


def _arriving(file: Any) -> Generator[bytes, None, None]:
    """Yield what is there, as soon as it is there.

    An interrupt is let through only while nothing is there, so that no read is lost and none is half assembled.
    """
    if not hasattr(signal, "pthread_sigmask") or not _has_descriptor(file):
        yield from iter(lambda: file.read1(_READ_BYTES), b"")
        return
    interrupt = {signal.SIGINT}
    try:
        while True:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)
            select.select([file], [], [])
            signal.pthread_sigmask(signal.SIG_BLOCK, interrupt)
            data = os.read(file.fileno(), _READ_BYTES)
            if not data:
                return
            yield data
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, interrupt)


def _has_descriptor(file: Any) -> bool:
    try:
        file.fileno()
    except OSError:
        return False
    return True


# -- the commands -----------------------------------------------------------------------------------------------------

Plain = Annotated[bool, typer.Option("--no-color", help="Write no colours. They are never written to a pipe or file.")]


@app.command()
def show(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files, folders, patterns, or - for stdin.")],
    *,
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", help="Who sent it; found from the bytes when not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The payload as JSON; of several files, one a line.")] = False,
    chunks: Annotated[bool, typer.Option("--chunks", help="Every chunk: number, byte range, what is in it.")] = False,
    cards: Annotated[bool, typer.Option("--cards", help="Of several files, the full card of each.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop reading a stream at the first fault.")] = False,
    reasoning_tags: Annotated[
        bool, typer.Option("--reasoning-tags", help="Take <think> … </think> in the text as reasoning.")
    ] = False,
    no_color: Plain = False,
) -> None:
    """Show recorded streams, or one that is arriving.

    One file gives its card, several give a table. The exit status is 1 where something in the data is wrong, 2 where
    a file cannot be read.
    """
    if as_json + chunks + cards > 1:
        _fail("--json, --chunks and --cards each say what to show: give one of them")
    _check_provider(provider)
    out = Output(sys.stdout, color=not no_color)
    sources, many = _sources(files)
    kind = JSONView if as_json else ChunksView if chunks else View if cards or not many else TableView
    options: dict[str, Any] = {"strict": strict, "reasoning_tags": reasoning_tags}
    raise typer.Exit(_show_all(kind(out, many=many), sources, provider, **options))


@app.command("explain")
def explain_command(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files, folders, patterns, or - for stdin.")],
    *,
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", help="Who sent it; found from the bytes when not given.")
    ] = None,
    request: Annotated[
        Path | None, typer.Option("--request", help="A file with the JSON body of the request that was sent.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON; of several files, one a line.")] = False,
    no_color: Plain = False,
) -> None:
    """Say in words what is wrong with recorded streams, where it shows, and what to do.

    The exit status is 1 where a fault is found, 2 where a file cannot be read.
    """
    _check_provider(provider)
    asked = None if request is None else _object_of(request, "--request")
    sources, many = _sources(files)
    view = (FindingsJSONView if as_json else FindingsView)(Output(sys.stdout, color=not no_color), many=many)
    raise typer.Exit(_show_all(view, sources, provider, request=asked))


@app.command("report")
def report_command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The recorded stream, or - for stdin.")],
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The HTML file to write; standard output when not given.")
    ] = None,
    provider: Annotated[
        str | None, typer.Option("--provider", "-p", help="Who sent it; found from the bytes when not given.")
    ] = None,
    chunks: Annotated[int, typer.Option("--chunks", min=0, help="How many chunks to list at most.")] = REPORT_CHUNKS,
    all_chunks: Annotated[bool, typer.Option("--all-chunks", help="List every chunk.")] = False,
    charts: Annotated[bool, typer.Option("--charts/--no-charts", help="Whether to draw charts.")] = True,
    reasoning_tags: Annotated[
        bool, typer.Option("--reasoning-tags", help="Take <think> … </think> in the text as reasoning.")
    ] = False,
) -> None:
    """Write a report of a stream: one HTML file that needs no script and nothing from the network.

    The exit status is 1 where something in the data is wrong, 2 where a file cannot be read or written.
    """
    _check_provider(provider)
    if output is None and sys.stdout.isatty():
        _fail("the report is HTML: give --output FILE, or send standard output to a file")
    source = Source("-") if file == "-" else Source(file, Path(file))
    try:
        run = read_source(source, provider, lambda *_: None, reasoning_tags=reasoning_tags)
    except OSError as error:
        _fail(f"{file}: {error.strerror or error}")
    report = run.to_html(chunks=None if all_chunks else chunks, charts=charts)
    if output is None:
        Output(sys.stdout).raw(report.removesuffix("\n"))
    else:
        try:
            write_whole(output, report)
        except OSError as error:
            _fail(f"{output}: {error.strerror or error}")
    raise typer.Exit(WRONG_DATA if is_wrong(run) else FINE)


def _sources(files: list[str]) -> tuple[list[Source], bool]:
    """Return the streams that the arguments name, and whether they are to be shown as many."""
    try:
        sources = list(find_sources(files))
    except OSError as error:
        _fail(str(error))
    if not sources:
        _fail(f"{files[0]}: no file matches")
    return sources, len(sources) > 1 or sources[0].name != files[0]  # a folder gives the same form for any number


def _show_all(
    view: View,
    sources: list[Source],
    provider: str | None,
    *,
    request: dict[str, Any] | None = None,
    **options: Any,
) -> int:
    """Show every stream, and return the exit status."""
    status = FINE
    for source in _progress(sources, quiet=not isinstance(view, TableView)):
        try:
            run = read_source(source, provider, view.arriving, **options)
        except OSError as error:
            _complain(f"{source.name}: {error.strerror or error}")
            status = UNUSABLE
        except StreamFaultError as error:
            _complain(f"{source.name}: {error}")
            status = max(status, WRONG_DATA)
        else:
            if request is not None:
                run.recording.request = {"body": request}
            view.show(run)
            status = max(status, WRONG_DATA if view.is_wrong(run) else FINE)
    view.close()
    return status


def _progress(sources: list[Source], *, quiet: bool) -> Iterable[Source]:
    """Return the sources, with a bar on a terminal while nothing else is written there."""
    errors = Output(sys.stderr)
    if quiet or len(sources) < _MANY or not errors.is_terminal:
        return sources
    return track(sources, "reading", console=errors, transient=True)


def _check_provider(name: str | None) -> None:
    if name is None:
        return
    try:
        resolve_dialect(name)
    except UnknownProviderError as error:
        _fail(f"{error} 'streamviz providers' lists them all")


@app.command()
def demo(
    name: Annotated[str | None, typer.Argument(help="The sample to show in full.")] = None,
    *,
    list_only: Annotated[bool, typer.Option("--list", help="List the samples.")] = False,
    no_color: Plain = False,
) -> None:
    """Show the sample streams that ship with the package."""
    from .samples import SAMPLES, sample_path

    out = Output(sys.stdout, color=not no_color)
    if name is not None and name not in SAMPLES:
        close = difflib.get_close_matches(name, SAMPLES, n=3) or list(SAMPLES)
        _fail(f"no sample is called {name!r}; there are {', '.join(close)}")
    if list_only:
        out.print(
            _columns(
                ("sample", "provider", "what it shows"), [(s.name, s.provider, s.description) for s in SAMPLES.values()]
            )
        )
        return
    for position, sample in enumerate(SAMPLES.values() if name is None else [SAMPLES[name]]):
        run = read(sample_path(sample.name), sample.provider)
        out.print(Text.assemble("\n" * bool(position), (sample.name, "bold"), f"  {sample.description}"))
        out.print(run_card_text(run, short=name is None))
    if name is None:
        out.print(
            Text("\n'streamviz demo NAME' shows one of them in full, 'streamviz show FILE' a stream of yours.", "dim")
        )


@app.command("repair")
def repair_command(
    text: Annotated[str, typer.Argument(metavar="TEXT|FILE", help="JSON text, a file with it, or - for stdin.")] = "-",
    *,
    level: Annotated[
        RepairChoice, typer.Option("--level", "-l", help="What may be done to the text.")
    ] = RepairChoice.safe,
    an_object: Annotated[
        bool, typer.Option("--object", help="An object is due: the arguments of a tool call.")
    ] = False,
    schema: Annotated[
        Path | None, typer.Option("--schema", help="A file with the JSON Schema that the value should have.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON.")] = False,
    no_color: Plain = False,
) -> None:
    """Read a text that should be JSON, and list what it took.

    The exit status is 1 where the text is cut off, cannot be read, or has what the schema does not allow.
    """
    report = repair_json(
        _text_of(text),
        expect="object" if an_object else "any",
        repair=level.value,
        schema=None if schema is None else _schema_of(schema),
    )
    out = Output(sys.stdout, color=not no_color)
    if as_json:
        out.raw(json_escaped(json.dumps(json_safe(report.to_dict()), ensure_ascii=False, indent=2)))
    else:
        out.print(repair_text(report))
    raise typer.Exit(FINE if report.complete and not report.schema_violations else WRONG_DATA)


def _schema_of(path: Path) -> dict[str, Any]:
    """Return the JSON Schema in a file."""
    from .repair.schema import validator_of

    schema = _object_of(path, "--schema")
    try:
        validator_of(schema)
    except (ValueError, ImportError) as error:
        raise typer.BadParameter(f"{path}: {error}", param_hint="--schema") from error
    return schema


def _object_of(path: Path, option: str) -> dict[str, Any]:
    """Return the JSON object in a file."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise typer.BadParameter(f"{path}: {error}", param_hint=option) from error
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{path}: a JSON object is due", param_hint=option)
    return value


def _text_of(argument: str) -> bytes:
    """Return what an argument stands for: standard input, the content of a file, or itself.

    A line end behind it is the shell's or the editor's.
    """
    if argument == "-":
        return sys.stdin.buffer.read().removesuffix(b"\n")
    try:
        if Path(argument).is_file():
            return Path(argument).read_bytes().removesuffix(b"\n")
    except (OSError, ValueError):  # too long for a name
        pass
    if _FILE_NAME.match(argument):
        _fail(f"{argument}: no such file")
    return argument.encode("utf-8", "surrogatepass")


_FILE_NAME = re.compile(r"[\w./~-]*[\w-]\.(?:json|jsonl|ndjson|txt|log|sse)\Z")
"""What is meant as a file, though there is none: no JSON looks like that."""


@app.command("detect")
def detect_command(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files, folders or patterns.")],
    *,
    no_color: Plain = False,
) -> None:
    """Say who sent each file, how sure that is, and why."""
    out = Output(sys.stdout, color=not no_color)
    try:
        for source in find_sources(files):
            found = detect(source.path if source.path is not None else sys.stdin.buffer)
            vendor = f" of {found.vendor}" if found.vendor else ""
            what = f"{found.dialect}{vendor} in {found.framing}, confidence {found.confidence:.1f}"
            out.long_line(visible_line(f"{source.name}: {what}: {found.reason}"))
    except OSError as error:
        _fail(str(error))


@app.command()
def providers(*, no_color: Plain = False) -> None:
    """List every name that --provider takes."""
    names: dict[str, list[str]] = {}
    for name in stream_wrapper_names():
        names.setdefault(resolve_dialect(name), []).append(name)
    rows = []
    for dialect, known in names.items():
        # "bedrock" stays open until the first frame tells which of two it is.
        framings = ", ".join(get_stream_wrapper(dialect).framings)
        rows.append((dialect, framings, " ".join(name for name in known if name != dialect)))
    Output(sys.stdout, color=not no_color).print(_columns(("dialect", "framing", "other names"), rows))


def _columns(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for position, head in enumerate(heads):
        table.add_column(head, no_wrap=not position)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - how typer calls it
    if wanted:
        typer.echo(f"streamviz {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """See how a language model's streamed response is put together."""


def main() -> None:
    """Run the command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot write "✓" is no reason to stop
    app(prog_name="streamviz")
