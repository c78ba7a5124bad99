"""todo.txt and Markdown, compared without a library."""

import datetime
import re
import zoneinfo

from checks import check, same
from daybook import ZONE

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def day(instant):
    """Returns the day of an instant in the zone of the export."""
    return instant and datetime.datetime.fromisoformat(instant).astimezone(zoneinfo.ZoneInfo(ZONE)).date().isoformat()


def one_line(text):
    return re.sub(r"\r\n|[\n\r]", " ", text).strip(" \t\r\n\u0085")


def said(task, with_notes=True):
    """Returns the fields of a task that both formats express."""
    return {
        "text": one_line(task["text"]), "state": task["state"], "scheduledDate": task["scheduledDate"],
        "created": day(task["createdAt"]), "completed": day(task["completedAt"]), "due": task.get("dueDay") or day(task.get("dueAt")),
        "archived": day(task.get("archivedAt")), "category": task.get("category"),
        "recurringPattern": task.get("recurringPattern")}


def by_id(store):
    return {task["id"]: said(task) for task in store.tasks()}


@check("todotxt: a line a task, in the order of json, each with its id, its mark and its days")
def todo_text(lab):
    for store in lab.stores:
        lines = store.export("todotxt").decode().split("\n")
        same(lines.pop(), "")
        tasks = store.tasks()
        same([re.findall(f" id:({UUID})(?: |$)", line)[-1] for line in lines], [task["id"] for task in tasks])
        for line, task in zip(lines, tasks):
            wanted = said(task)
            letter = {"high": "(A) ", "medium": "(B) ", "low": "(C) "}.get(task.get("priority"), "")
            head = f"x {wanted['completed']} " if wanted["completed"] else letter
            assert line.startswith(f"{head}{wanted['created']} "), line[:200]
            for key, value in [("due", wanted["due"]), ("t", wanted["scheduledDate"])]:
                assert value is None or f" {key}:{value} " in line, line[:200]


@check("markdown: a box a task, in the order of json, each with its id, its box and its days")
def markdown(lab):
    boxes = {"notStarted": "- [ ] ", "active": "- [/] ", "completed": "- [x] "}
    signs = [("➕", "created"), ("⏳", "scheduledDate"), ("📅", "due"), ("✅", "completed")]
    for store in lab.stores:
        lines = [line for line in store.export("markdown").decode().split("\n") if line.startswith("- ")]
        tasks = store.tasks()
        same([re.findall(f" 🆔 ({UUID})(?: |$)", line)[-1] for line in lines], [task["id"] for task in tasks])
        for line, task in zip(lines, tasks):
            is_archived = "archivedAt" in task and task["state"] != "completed"
            assert line.startswith("- [-] " if is_archived else boxes[task["state"]]), line[:200]
            for sign, key in signs:
                value = said(task)[key]
                assert value is None or f" {sign} {value}" in line, line[:200]


@check("todotxt and markdown: import into a new store gives the same tasks, and its export the same bytes")
def round_trip(lab):
    for form in ["todotxt", "markdown"]:
        for store in lab.stores:
            content = store.export(form)
            copy = lab.store(content, "--format", form)
            wanted = by_id(store)
            if form == "markdown":
                # What Obsidian calls a rule is read as that rule.
                for task in wanted.values():
                    if task.get("recurringPattern") == "every day":
                        task["recurringPattern"] = "FREQ=DAILY"
            same(by_id(copy), wanted, form)
            same(copy.export(form), content, form)
            notes = {task["id"]: task["note"] for task in store.tasks() if "note" in task}
            found = {task["id"]: task["note"] for task in copy.tasks() if "note" in task}
            if form == "todotxt":
                same(found, notes)
