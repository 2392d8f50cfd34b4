r"""What the repair may do: every rule by its name, with the most it can cost.

An edit's own level may be milder than its rule's: ``fix-escape`` keeps the backslash of ``\d`` without
loss, and guesses at ``\0``.
"""

from __future__ import annotations

from .report import EditLevel

RULES: dict[str, tuple[EditLevel, str]] = {
    # around the value
    "strip-bom": ("lossless", "a byte order mark before the value is dropped"),
    "strip-invisible": ("lossless", "blanks that JSON does not know, and characters nobody sees, are dropped"),
    "strip-comment": (
        "guess",
        "comments are dropped: //, /* */, #, <!-- -->; //x where a value is due, or one with a quote, may be content",
    ),
    "strip-fence": ("guess", "a code fence around the value is dropped; with brackets in it that is a guess"),
    "strip-prefix": ("guess", "a token or sentence before the value is dropped; with brackets in it that is a guess"),
    "strip-suffix": (
        "guess",
        "what stands behind the value is dropped, if it has no opening bracket and no key; a quote in it is doubtful",
    ),
    "unwrap-string": ("lossless", "a value that was encoded twice is decoded once more"),
    "unescape-quotes": ("lossless", "a value whose quotes are all escaped is decoded once more"),
    "unescape-entities": ("lossless", "a value whose quotes are HTML entities is decoded, once"),
    "add-opener": ("guess", "a value that begins with a key gets its brace; if half the key is lost that is a guess"),
    "drop-extra-opener": ("guess", "a brace where a key was due is dropped"),
    # several values
    "collapse-repeat": ("guess", "the same value again is dropped; with a comma between them that is a guess"),
    "drop-empty-value": ("guess", "an empty value beside the real one is dropped; {} before it is a placeholder"),
    "take-snapshot": ("guess", "of values that grow, each the beginning of the next, the last is taken"),
    # structure
    "insert-comma": (
        "guess",
        "a comma between two members is inserted; where they may be one, as 1 500, it is a guess",
    ),
    "drop-trailing-comma": ("lossless", "a comma before a closing bracket or the end is dropped"),
    "drop-extra-comma": ("guess", "a comma too many is dropped; in a list it may stand for a missing value"),
    "insert-colon": ("guess", 'the colon between a key and its value is inserted; "a:" 1 takes a guess'),
    "replace-separator": ("guess", "=> and = become a colon, :: one colon, a semicolon a comma"),
    "fix-closer": ("guess", "a bracket of the wrong kind is replaced, or a missing one inserted before it"),
    "drop-extra-closer": (
        "guess",
        "a closing bracket too many is dropped; where one inside the value may be the one too many, that is a guess",
    ),
    "tuple-to-array": ("guess", "(1, 2) becomes [1, 2]; that (1) becomes [1] is a guess"),
    "drop-ellipsis": ("guess", "three dots in place of members are dropped"),
    # strings
    "escape-control": ("lossless", "a control character in a string is escaped"),
    "fix-escape": (
        "guess",
        "an escape that JSON does not know keeps its backslash, or is written as JSON has it; both at once are guesses",
    ),
    "requote": ("guess", "a string in other quotes gets JSON's; where the two ends differ that is a guess"),
    "join-strings": ("guess", '"x" + "y" becomes "xy"; that "x " + " y" is no string with quotes in it is a guess'),
    "escape-quote": ("guess", "a quote in a string that goes on behind it is escaped"),
    "drop-extra-quote": ("guess", "of doubled quotes one is dropped"),
    "open-string": ("guess", "a lost quote at the beginning of a string is put back"),
    # keys, numbers, words
    "quote-key": ("guess", "a bare key is quoted; with blanks in it that is a guess"),
    "map-literal": ("guess", "True, None, nil become JSON's words; undefined, NaN and Infinity become null by a guess"),
    "fix-number": ("guess", "5. and .5 and 1_000 are written as JSON has them; 007 and 0x1F are guesses"),
    "quote-value": ("guess", "a bare value is quoted"),
    "fill-null": ("guess", "a missing value is null"),
    # with a schema
    "quote-scalar": ("lossless", "a number or word is quoted where the schema wants a string"),
    "unquote-scalar": ("guess", "a string that holds a number or word is one where the schema wants that"),
    "wrap-in-array": ("lossless", "one value becomes a list of it where the schema wants a list"),
    "unwrap-item": ("guess", "a list of one value becomes that value where the schema wants no list"),
    "unwrap-nested": ("lossless", "a string that holds a list or object becomes that where the schema wants it"),
    "match-enum": ("guess", "a word in another case becomes the one that the schema lists"),
    # at a cut
    "close-string": (
        "guess",
        "a string that is cut off is closed; one that lost its quote in the middle is guessed at",
    ),
    "close-container": ("guess", "lists and objects that are cut off are closed; that (1 is a list is a guess"),
    "drop-partial-character": ("truncation", "half a UTF-8 character at the cut is dropped"),
    "drop-partial-escape": ("truncation", "half an escape, or half a surrogate pair, at the cut is dropped"),
    "drop-partial-key": ("truncation", "half a key at the cut is dropped"),
    "drop-partial-member": ("truncation", "a key without its value at the cut is dropped"),
    "drop-partial-number": ("truncation", "half a number at the cut is dropped"),
    "drop-partial-literal": ("truncation", "half a word at the cut is dropped"),
    "keep-unconfirmed-number": ("truncation", "a number that the cut touches is kept; it may go on"),
}
"""Rule → (the highest level that an edit of it can have, what it does)."""
