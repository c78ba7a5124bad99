"""Real files of other programs, from ../shared or $DAYBOOK_SHARED."""

import json
import os
import pathlib

import icalendar

from check_calendar import as_ical, todo_property, todos
from check_taskwarrior import Taskwarrior
from checks import Skipped, check, same


def files(ending):
    named = os.environ.get("DAYBOOK_SHARED")
    folder = pathlib.Path(named or pathlib.Path(__file__).parents[3] / "shared") / "data"
    if not folder.is_dir():
        # A folder that is named must exist.
        assert not (named and os.environ.get("DAYBOOK_REQUIRE_SHARED") == "1"), f"{folder} does not exist"
        raise Skipped(f"{folder} does not exist; $DAYBOOK_SHARED can name it")
    found = sorted(folder.glob(ending))
    assert found, f"{folder} has no {ending}"
    return found


@check("real files of Taskwarrior: attributes come out of Daybook as they went in, and `task import` takes them")
def taskwarrior(lab):
    for file in files("*taskwarrior*.json"):
        store = lab.store(file.read_bytes(), "--format", "taskwarrior")
        exported = store.export("taskwarrior")
        Taskwarrior(lab).run("import", "-", stdin=exported)
        found = {task["uuid"]: task for task in json.loads(exported)}
        tasks = read_tasks(file.read_text())
        assert tasks, file.name
        for task in tasks:
            if "uuid" in task:
                same({key: found[task["uuid"]].get(key) for key in task}, task, file.name)


def read_tasks(text):
    try:
        tasks = json.loads(text)
        return tasks if isinstance(tasks, list) else [tasks]
    except json.JSONDecodeError:
        return [json.loads(line.rstrip(",")) for line in text.splitlines() if line.startswith("{")]


@check("real files of iCalendar: icalendar finds the same properties in the export as in the file")
def calendars(lab):
    for file in files("*.ics"):
        if file.name == "libical-recur-errors.ics":
            continue
        store = lab.store(file.read_bytes(), "--format", "ics")
        if not store.folder.exists():
            continue
        found = todos(store.export("ics"))
        originals = [todo for calendar in icalendar.Calendar.from_ical(file.read_bytes(), multiple=True)
                     for todo in calendar.walk("VTODO")]
        same(len(found), len(originals), file.name)
        before = {identity(todo): todo for todo in originals if "UID" in todo}
        for todo in found:
            old = before.pop(identity(todo), None)
            for name, _ in old.property_items(sorted=False) if old else []:
                if name not in ("BEGIN", "END"):
                    same(as_ical(todo_property(todo, name)), as_ical(todo_property(old, name)), f"{file.name} {name}")
        same(list(before), [], file.name)


def identity(todo):
    return str(todo["UID"]), str(todo.get("RECURRENCE-ID", ""))


@check("real files of todo.txt and Obsidian: every line with a task comes out as it went in, but for the id")
def line_files(lab):
    for file in files("todotxt-*.txt"):
        lines = [line for line in file.read_text().splitlines() if line.strip()]
        out = lab.store(file.read_bytes(), "--format", "todotxt").export("todotxt").decode().splitlines()
        same(sorted(line.split(" id:")[0] for line in out), sorted(lines), file.name)
    for file in files("obsidian-*.md"):
        lines = [line.strip() for line in file.read_text().splitlines()]
        out = lab.store(file.read_bytes(), "--format", "markdown").export("markdown").decode().splitlines()
        for line in out:
            assert line.split(" 🆔")[0].strip() in lines or any(
                line.split(" 🆔")[0].strip() in given for given in lines), line
