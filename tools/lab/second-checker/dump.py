"""The tables of a database, read from the output of mariadb-dump or mysqldump (with --complete-insert), or from
    lines of JSON: {"table": name, "row": {...}}. Each is a list of dicts; numbers and dates stay texts, NULL is None."""

import json
import re

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "Z": "\x1a"}
INSERT = re.compile(r"INSERT INTO `(\w+)` \(([^)]*)\) VALUES", re.I)


def tables_of(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    return from_lines(text.splitlines()) if text.lstrip().startswith("{") else from_sql(text)


def from_lines(lines):
    tables = {}
    for line in lines:
        if line.strip():
            one = json.loads(line)
            tables.setdefault(one["table"], []).append({name: plain(value) for name, value in one["row"].items()})
    return tables


def plain(value):
    """In the format of the dump."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "1" if value else "0"
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def from_sql(text):
    tables = {}
    for found in INSERT.finditer(text):
        name = found.group(1)
        columns = [column.strip().strip("`") for column in found.group(2).split(",")]
        for values in tuples(text, found.end()):
            tables.setdefault(name, []).append(dict(zip(columns, values, strict=True)))
    return tables


def tuples(text, at):
    """The rows after VALUES, up to the semicolon."""
    while True:
        at = skip(text, at, " \r\n\t,")
        if text[at] == ";":
            return
        at += 1
        row = []
        while True:
            value, at = literal(text, at)
            row.append(value)
            at += 1
            if text[at - 1] == ")":
                break
        yield row


def skip(text, at, characters):
    while text[at] in characters:
        at += 1
    return at


def literal(text, at):
    """One value and where it ends. A word before a quote, such as _binary, is not part of its text."""
    at = skip(text, at, " \r\n\t")
    word = re.compile(r"_\w+ ").match(text, at)
    if word:
        at = word.end()
    if text[at] != "'":
        end = at
        while text[end] not in ",)":
            end += 1
        bare = text[at:end]
        return (None if bare == "NULL" else bare), end
    parts = []
    at += 1
    while True:
        one = text[at]
        if one == "\\":
            parts.append(ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
        elif one == "'" and text[at + 1] == "'":
            parts.append("'")
            at += 2
        elif one == "'":
            return "".join(parts), at + 1
        else:
            parts.append(one)
            at += 1
