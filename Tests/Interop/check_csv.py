"""CSV, compared with Python's csv."""

import csv
import io
import json

from check_json import ALWAYS, SOMETIMES
from checks import check, same

GUARDED = ["text", "note", "category", "completedZone", "recurringPattern", "dueZone", "listName", "tags"]
FORMULA = tuple("=+-@\t\r")
DEFAULTS = {
    "completionEpoch": 0, "dueIsAllDay": True, "listOrder": 0, "region": "backlog", "bucket": "none", "planOrder": 0,
    "autoCarry": False, "isSticky": False, "isRecurring": False, "carryCount": 0, "priority": "none", "subtaskOrder": 0}


def rows(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True))


def cell(task, column):
    """Returns the value of a column for a task of `json`, according to Format.md."""
    value = task.get(column, DEFAULTS.get(column))
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(quoted(name) for name in value)
    return value if isinstance(value, str) else str(value)


def quoted(name):
    """A name of a list as its cell has it: in quotation marks if it has a comma, a mark, or a blank at an end."""
    if "," in name or '"' in name or name != name.strip(" "):
        return '"' + name.replace('"', '""') + '"'
    return name


def without_guard(text):
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(FORMULA) else text


@check("csv: Python reads it; every column says what json says, but for the guard")
def values(lab):
    for store in lab.stores:
        table = rows(store.export("csv"))
        tasks = store.tasks()
        same(len(table), len(tasks))
        for row, task in zip(table, tasks):
            same(list(row), ALWAYS + SOMETIMES)
            for column, found in row.items():
                if column == "extra":
                    same(json.loads(found or "null"), task.get("extra"))
                else:
                    wanted = cell(task, column)
                    same(without_guard(found) if column in GUARDED else found, wanted, f"{task['id']} {column}")


@check("csv: no text is a formula for a spreadsheet; with --raw all texts are as they are")
def guard(lab):
    for row in rows(lab.full.export("csv")):
        for column in GUARDED:
            assert not row[column].startswith(FORMULA), row[column]
    table = rows(lab.full.export("csv", "--raw"))
    same([[row[column] for column in GUARDED] for row in table],
         [[cell(task, column) for column in GUARDED] for task in lab.full.tasks()])
    assert sum(row["text"].startswith(FORMULA) for row in table) >= 6


@check("csv: rows end with CRLF, and there is no byte order mark")
def ends(lab):
    same(lab.empty.export("csv"), ",".join(ALWAYS + SOMETIMES).encode() + b"\r\n")
    content = lab.full.export("csv")
    assert content.endswith(b"\r\n") and not content.startswith(b"\xef\xbb\xbf")


@check("csv: export, import into a new store and export give the same bytes")
def round_trip(lab):
    for store in lab.stores:
        content = store.export("csv")
        copy = lab.store(content, "--format", "csv")
        same(copy.export("csv"), content)
        same(copy.tasks(), store.tasks())


@check("csv that Python writes (semicolons, everything quoted, LF, a mark, columns upside down) imports the same")
def other_spelling(lab):
    table = rows(lab.full.export("csv"))
    for separator in ";\t":
        file = io.StringIO(newline="")
        writer = csv.DictWriter(file, list(reversed(ALWAYS + SOMETIMES)), delimiter=separator,
                                quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        copy = lab.store(b"\xef\xbb\xbf" + file.getvalue().encode(), "--format", "csv")
        same(copy.tasks(), lab.full.tasks())
