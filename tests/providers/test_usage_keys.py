"""Every usage key that a vendor was ever recorded to send is read, or is left in ``raw`` on purpose."""

import pytest
from support.material import MATERIAL, index, need

import streamviz as sv
from streamviz.chunks import UsageFields

SYSTEMS = ["openai-chat", "openai-compatible", "mistral", "anthropic", "google", "bedrock-converse", "bedrock-invoke"]


def places(fields):
    """Return every place that a table names."""
    found = set()
    for name in UsageFields.__struct_fields__:
        value = getattr(fields, name)
        if isinstance(value, tuple):
            found |= {item if isinstance(item, str) else item[0] for item in value}
    return found


def unread(report, known, prefix=""):
    """Return the dotted keys of a report that no table names, an object being named as a whole or by its members."""
    out = set()
    for key, value in report.items():
        path = prefix + key
        if path in known or value in (None, {}, []):
            continue
        if isinstance(value, dict):
            out |= unread(value, known, path + ".")
        else:
            out.add(path)
    return out


@pytest.mark.parametrize("api", SYSTEMS)
def test_every_key_is_read_or_raw_on_purpose(api):
    need(MATERIAL / "recordings" / "index.jsonl")
    reports, left = 0, {}
    for row in index():
        if row["api"] != api:
            continue
        for chunk in sv.read(MATERIAL / "recordings" / row["file"]).chunks:
            if chunk.usage is not None:
                reports += 1
                for key in unread(chunk.usage.raw, places(chunk.usage.fields)):
                    left.setdefault(f"{chunk.usage.fields.name}: {key}", row["file"])
    assert reports
    assert left == {}
