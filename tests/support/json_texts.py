"""JSON texts in every spelling: blanks, escapes and numbers as writers draw them, not as ``json.dumps`` does."""

import json

from hypothesis import strategies as st

SPECIAL = '"\\/{}[],:\b\f\n\r\t\0\x1f\u2028é🚀 ax'
texts = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=["Cs"])), max_size=12)
numbers = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(["0", "-0", "1e5", "1E+05", "1.50", "-0.0e-3", "1e400"]),
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9).map(str),
)
blanks = st.sampled_from(["", "", "", " ", "\n", "\t \r\n"])


@st.composite
def strings(draw, value=None):
    """A JSON string: each character raw, as a short escape, or as one or two ``\\u`` escapes."""
    pieces = []
    for character in draw(texts) if value is None else value:
        styles = [f"\\u{unit:04x}" for unit in _units(character)]
        escaped = "".join(styles)
        short = json.dumps(character)[1:-1]
        raw = character if character >= " " and character not in '"\\' else short
        pieces.append(draw(st.sampled_from([raw, raw, short, escaped, escaped.upper().replace("\\U", "\\u")])))
    return '"' + "".join(pieces) + '"'


def _units(character):
    data = character.encode("utf-16-be")
    return [int.from_bytes(data[i : i + 2]) for i in range(0, len(data), 2)]


def spaced(draw, items, opening, closing):
    return opening + ",".join(draw(blanks) + item + draw(blanks) for item in items) + closing


@st.composite
def objects(draw, children):
    members = draw(st.lists(st.tuples(strings(), blanks, blanks, children), max_size=4))
    return spaced(draw, [f"{key}{before}:{behind}{value}" for key, before, behind, value in members], "{", "}")


@st.composite
def lists(draw, children):
    return spaced(draw, draw(st.lists(children, max_size=4)), "[", "]")


values = st.recursive(
    st.one_of(st.sampled_from(["true", "false", "null"]), numbers, strings()),
    lambda children: st.one_of(objects(children), lists(children)),
    max_leaves=12,
)
documents = objects(values)
