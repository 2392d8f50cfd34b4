"""The ``streamviz`` command."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.wire import chat
from typer.testing import CliRunner

import streamviz as sv
from streamviz.cli import app
from streamviz.samples import sample_path

HELLO = chat({"content": "Hel"}, ({"content": "lo"}, "stop"))
CUT = chat(({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a": "b'}}]}, "length"))
COMMAND = [sys.executable, "-m", "streamviz"]
ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(sv.__file__).parents[1]), "PYTHONUTF8": "1"}


def call(*arguments, stdin=None, **environment):
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, env={"COLUMNS": None, **environment})


def start(*arguments, **options):
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([*COMMAND, *map(str, arguments)], env=ENVIRONMENT, **options)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.sse").write_bytes(HELLO)
    (tmp_path / "deep" / "b.sse").write_bytes(CUT)
    (tmp_path / ".hidden").write_bytes(b"no stream")
    return tmp_path


def test_a_file_gives_its_card_and_status_0(folder):
    result = call("show", folder / "a.sse")
    assert result.exit_code == 0
    assert "✓ complete" in result.stdout
    assert "Hello" in result.stdout
    assert result.stderr == ""


def test_a_fault_in_the_data_is_status_1(folder):
    result = call("show", folder / "deep" / "b.sse")
    assert result.exit_code == 1
    assert "call-incomplete" in result.stdout


def test_a_folder_gives_a_row_a_file_and_a_summary(folder):
    result = call("show", folder)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert [line.split()[:1] for line in lines[1:3]] == [["✓"], ["✗"]]
    assert str(folder / "a.sse") in lines[1]
    assert "call-incomplete" in lines[2]
    assert lines[-1] == "2 files: 1 complete; 1 fault"
    assert ".hidden" not in result.stdout


def test_patterns_are_matched_where_the_shell_did_not(folder):
    assert str(folder / "a.sse") in call("show", f"{folder}/*.sse").stdout
    assert "2 files" in call("show", f"{folder}/**/*.sse").stdout


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder):
    path = folder / "[x].sse"
    path.write_bytes(HELLO)
    assert "Hello" in call("show", path).stdout


def test_cards_of_several_files_are_for_the_asking(folder):
    result = call("show", "--cards", folder)
    assert "Hello" in result.stdout
    assert "close-string" in result.stdout
    assert result.stdout.count("Diagnostics") == 2


def test_json_of_one_file_is_its_payload(folder):
    result = call("show", "--json", folder / "a.sse")
    document = json.loads(result.stdout)
    assert document["assistant_text"] == "Hello"
    assert document["source"] == str(folder / "a.sse")
    assert document["other_choices"] == []


def test_json_of_several_files_is_a_line_each(folder):
    result = call("show", "--json", folder)
    documents = [json.loads(line) for line in result.stdout.splitlines()]
    assert [d["source"] for d in documents] == [str(folder / "a.sse"), str(folder / "deep" / "b.sse")]
    assert documents[1]["calls"][0]["status"] == "incomplete"
    assert result.exit_code == 1


def test_chunks_have_number_bytes_and_content(folder):
    lines = call("show", "--chunks", folder / "a.sse").stdout.splitlines()
    run = sv.read(HELLO)
    assert len(lines) == 3
    for k, line in enumerate(lines):
        number, span, *_ = line.split()
        start, end = map(int, span.split(":"))
        assert (int(number), HELLO[start:end]) == (k, run.bytes_of(k))
    assert "text 'Hel'" in lines[0]
    assert "finish stop" in lines[1]
    assert "end mark done" in lines[2]


def test_strict_names_the_place_of_the_first_fault(folder):
    (folder / "a.sse").write_bytes(HELLO.replace(b'{"id"', b'{"id', 1))
    result = call("show", "--strict", folder / "a.sse")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "bad-json at byte 0 (chunk 0)" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-file.sse"], "no-such-file.sse: No such file or directory"),
        (["none-*.sse"], "none-*.sse: no file matches"),
        (["-p", "antropic", "x"], "did you mean anthropic"),
        (["-p", "nobody at all", "x"], "openai"),
        (["--json", "--chunks", "x"], "give one of them"),
        ([], "Missing argument"),
        (["--no-such-option", "x"], "No such option"),
    ],
)
def test_what_cannot_be_done_is_status_2_and_said_on_stderr(arguments, said):
    result = call("show", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_an_empty_folder_is_said(tmp_path):
    assert "no files in this folder" in call("show", tmp_path).stderr


def test_one_unreadable_file_does_not_hide_the_others(folder):
    result = call("show", folder / "a.sse", folder / "missing.sse")
    assert result.exit_code == 2
    assert "1 file: 1 complete" in result.stdout
    assert "missing.sse" in result.stderr


def test_standard_input_is_a_stream():
    result = call("show", "-", stdin=HELLO)
    assert result.exit_code == 0
    assert "Hello" in result.stdout
    assert "<stdin>" in result.stdout


def test_a_named_pipe_is_read_as_it_comes(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with start("show", path) as process:
        path.write_bytes(HELLO)
        assert b"Hello" in process.communicate(timeout=30)[0]
    assert process.returncode == 0


def test_chunks_of_standard_input_are_shown_as_they_come_and_an_interrupt_ends_it():
    with start("show", "--chunks", "-") as process:
        process.stdin.write(HELLO[:120])
        process.stdin.flush()
        assert b"text 'Hel'" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
    assert errors == b""
    assert b"1" in out  # the piece of a frame that had come
    assert process.returncode in (0, 1)


def test_an_interrupt_shows_what_had_arrived():
    with start("show", "-p", "openai", "-") as process:
        process.stdin.write(HELLO[:105])
        process.stdin.flush()
        # Wait until it has been read: the pipe is empty then.
        while _unread(process.stdin):
            pass
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
    assert b"Hel" in out
    assert b"aborted" in out
    assert errors == b""


def _unread(pipe):
    import array
    import fcntl
    import termios

    size = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, size)
    return size[0]


@pytest.mark.parametrize("form", ["--chunks", "--json", "--cards"])
def test_a_reader_that_goes_away_is_no_traceback(tmp_path, form):
    (tmp_path / "long.sse").write_bytes(chat(*[{"content": f"word {i} " * 20} for i in range(5000)]))
    with start("show", form, tmp_path / "long.sse", tmp_path / "long.sse") as process:
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == b""


def test_no_escape_sequence_reaches_a_pipe_or_a_terminal_that_wants_none(tmp_path):
    (tmp_path / "x\x1b[31m.sse").write_bytes(chat(({"content": "\x1b[2J\x9b31m[red]x[/red]"}, "stop")))
    for options in ([], ["--json"], ["--chunks"], ["--cards"]):
        result = call("show", *options, tmp_path)
        assert "\x1b" not in result.output
        assert "\x9b" not in result.output
        assert "[red]x[/red]" in result.output or not options
        colored = call("show", *options, "--no-color", tmp_path, FORCE_COLOR="1")
        assert "\x1b" not in colored.output
        assert "\x1b" not in call("show", *options, tmp_path, FORCE_COLOR="1", NO_COLOR="1").output
    assert "\x1b" not in call("show", "-p", "\x1b[31m", tmp_path).output
    assert "\x1b" not in call("show", "\x1b[31m").output


def test_a_terminal_gets_colours(folder):
    assert "\x1b[" in call("show", folder / "a.sse", FORCE_COLOR="1", TERM="xterm-256color").stdout


def test_providers_lists_every_name():
    result = call("providers")
    assert result.exit_code == 0
    assert set(sv.stream_wrapper_names()) <= set(result.stdout.split())


def test_version():
    result = call("--version")
    assert (result.exit_code, result.stdout) == (0, f"streamviz {sv.__version__}\n")


def test_demo_shows_every_sample_in_short_and_one_in_full():
    from streamviz.samples import SAMPLES

    result = call("demo")
    assert result.exit_code == 0
    listed = call("demo", "--list")
    assert all(name in result.stdout and name in listed.stdout for name in SAMPLES)
    for name in SAMPLES:
        full = call("demo", name)
        assert full.exit_code == 0
        assert "Tokens" in full.stdout or "none reported" in full.stdout


def test_demo_of_an_unknown_sample_names_close_ones():
    from streamviz.samples import SAMPLES

    name = next(iter(SAMPLES))
    result = call("demo", f"{name}x")
    assert result.exit_code == 2
    assert name in result.stderr


def test_repair_takes_text_a_file_or_standard_input(tmp_path):
    file = tmp_path / "arguments.json"
    file.write_text("{'city': 'Paris',}", encoding="utf-8")
    for given, stdin in ((file.read_text("utf-8"), None), (str(file), None), ("-", file.read_bytes())):
        result = call("repair", given, "--json", stdin=stdin)
        assert result.exit_code == 0
        report = json.loads(result.stdout)
        assert (report["status"], report["value"]) == ("repaired", {"city": "Paris"})


def test_repair_says_what_it_did_and_what_it_would_not_do():
    cut = call("repair", '{"city": "Par\x1b[31m')
    assert cut.exit_code == 1
    assert "\x1b" not in cut.stdout
    assert "incomplete" in cut.stdout
    assert "close-string" in cut.stdout
    refused = call("repair", '{"city": Paris}')
    assert refused.exit_code == 1
    guessed = call("repair", '{"city": Paris}', "--level", "guess")
    assert guessed.exit_code == 0
    assert "quote-value" in guessed.stdout
    glued = call("repair", '{"a":1}{"a":2}')
    assert glued.exit_code == 1
    assert "2 different values" in glued.stdout


def test_detect_says_who_and_why():
    found = call("detect", str(sample_path("anthropic-text")), str(sample_path("ollama-thinking-call")))
    assert found.exit_code == 0
    first, second = found.stdout.splitlines()
    assert "anthropic-text.sse: anthropic of anthropic in sse, confidence 1.0: an event of type message_start" in first
    assert "ollama in json-lines" in second
    assert call("detect", "nowhere.sse").exit_code == 2


def test_repair_takes_a_schema(tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text('{"properties": {"n": {"type": "string"}, "m": {"type": "integer"}}}')
    found = call("repair", '{"n": 5}', "--schema", str(schema), "--json")
    assert (found.exit_code, json.loads(found.stdout)["value"]) == (0, {"n": "5"})
    found = call("repair", '{"m": "x"}', "--schema", str(schema))
    assert found.exit_code == 1
    assert "the schema does not allow $.m" in found.stdout
    schema.write_text('{"type": "text"}')
    assert call("repair", "{}", "--schema", str(schema)).exit_code == 2


def test_explain_says_in_words_what_is_wrong(folder):
    result = call("explain", folder / "deep" / "b.sse")
    assert result.exit_code == 1
    assert "✗ fault call-truncated-by-limit" in result.stdout
    assert "end inside $.a after 8 characters" in result.stdout
    fine = call("explain", folder / "a.sse")
    assert fine.exit_code == 0
    assert "usage-missing" in fine.stdout
    assert fine.stderr == ""


def test_explain_of_many_files_is_a_part_a_file(folder):
    result = call("explain", folder)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"{folder / 'a.sse'}: 1 note."
    assert f"\n\n{folder / 'deep' / 'b.sse'}: 1 fault, 1 note." in result.stdout


def test_explain_as_json(folder):
    document = json.loads(call("explain", "--json", folder / "deep" / "b.sse").stdout)
    assert document["findings"][0]["code"] == "call-truncated-by-limit"
    assert document["findings"][0]["evidence"][0]["chunk"] == 0
    lines = call("explain", "--json", folder).stdout.splitlines()
    assert [json.loads(line)["source"] for line in lines] == [str(folder / "a.sse"), str(folder / "deep" / "b.sse")]


def test_explain_takes_the_request(folder):
    request = folder / "request.json"
    request.write_text('{"model": "m", "max_tokens": 7}')
    result = call("explain", folder / "deep" / "b.sse", "--request", request)
    assert "the output limit of 7 tokens (max_tokens) was reached" in result.stdout
    assert "usage-not-requested (request)" in result.stdout


def test_explain_reads_what_arrives():
    result = call("explain", "-", stdin=HELLO[:-30])
    assert result.exit_code == 1
    assert "<stdin>: 1 fault." in result.stdout


def test_explain_escapes_the_stream(folder):
    hostile = chat(
        ({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "\x1b[31m\u202e", "arguments": "{"}}]}, "length")
    )
    (folder / "a.sse").write_bytes(hostile)
    for options in ([], ["--json"]):
        output = call("explain", *options, folder / "a.sse").output
        assert "call-truncated-by-limit" in output
        assert "\x1b" not in output
        assert "\u202e" not in output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-file.sse"], "no-such-file.sse: No such file or directory"),
        (["-p", "antropic", "x"], "did you mean anthropic"),
        (["x", "--request", "no-such-file.json"], "No such file"),
        ([], "Missing argument"),
    ],
)
def test_explain_says_what_cannot_be_done(arguments, said):
    result = call("explain", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_report_writes_one_file(tmp_path):
    recording, out = tmp_path / "a.sse", tmp_path / "a.html"
    recording.write_bytes(HELLO)
    result = call("report", recording, "-o", out, "--no-charts")
    assert (result.exit_code, result.output) == (0, "")
    assert out.read_text("utf-8") == sv.read(recording).to_html(charts=False)


def test_report_writes_to_a_pipe_and_tells_by_its_status_that_something_is_wrong():
    result = call("report", "-", "--no-charts", "--chunks", "1", stdin=CUT)
    assert result.exit_code == 1
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert "call-incomplete" in result.stdout
    assert 'id="chunk-0"' in result.stdout
    assert 'id="chunk-1"' not in result.stdout
    assert 'id="chunk-1"' in call("report", "-", "--no-charts", "--all-chunks", stdin=CUT).stdout


def test_report_names_the_file_that_cannot_be_read_or_written(tmp_path):
    missing = call("report", tmp_path / "none.sse", "-o", tmp_path / "a.html")
    assert (missing.exit_code, "none.sse: No such file" in missing.stderr) == (2, True)
    refused = call("report", sample_path("openai-text"), "-o", tmp_path / "no" / "a.html")
    assert (refused.exit_code, "a.html: No such file" in refused.stderr) == (2, True)
