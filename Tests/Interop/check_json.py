"""JSON and NDJSON, compared with Python's json and datetime."""

import datetime
import json

import difficult
from checks import check, same
from daybook import NOW, Refused

ALWAYS = ["id", "text", "state", "createdAt", "updatedAt", "completedAt", "scheduledDate", "sortOrder"]
SOMETIMES = [
    "note", "category", "completedZone", "completedOffsetSeconds", "completionEpoch", "dueAt", "dueIsAllDay",
    "reminderDate", "list", "listOrder", "region", "bucket", "planOrder", "autoCarry", "isSticky", "expiresAt",
    "archivedAt", "isRecurring", "recurringPattern", "parent", "carriedFrom", "carryCount", "extra",
    "dueDay", "reminderDay", "reminderSecondsIntoDay", "occurrenceDay", "dueZone", "dueSecondsIntoDay",
    "expirySecondsIntoDay", "tags", "priority", "waitUntil", "parentTask", "subtaskOrder", "blockedBy", "listName"]
INSTANTS = ["createdAt", "updatedAt", "completedAt", "dueAt", "reminderDate", "expiresAt", "archivedAt"]
DAYS = ["scheduledDate", "carriedFrom", "dueDay", "reminderDay", "occurrenceDay", "waitUntil"]


def ndjson(store):
    return [json.loads(line) for line in store.export("ndjson").decode().removesuffix("\n").split("\n")]


@check("json: Python reads it; keys are those that Format.md lists, in its order")
def keys(lab):
    for store in lab.stores:
        file = json.loads(store.export("json"))
        lists = ["lists"] if store is lab.full else []
        same(list(file), ["exportDate", "appVersion", *lists, "tasks"])
        same(file["exportDate"], NOW)
        for task in file["tasks"]:
            same(list(task)[:8], ALWAYS)
            same(list(task)[8:], [key for key in SOMETIMES if key in task])
    same(lab.empty.tasks(), [])


@check("json: every task that was brought in is there, every field as it was")
def everything(lab):
    found = {task["id"]: task for task in lab.full.tasks()}
    wanted = [json.loads(line) for line in difficult.lines().splitlines()[1:]]
    same(len(found), 300 + len(wanted) - 2)
    for task in wanted:
        task.pop("collection")
        if task.get("note") == "":
            task.pop("note")
        for key, value in task.items():
            same(found[task["id"]].get(key), value, f"{task['id']} {key}")


@check("json: instants and days are what Python's datetime takes")
def instants(lab):
    for task in lab.full.tasks():
        for key in INSTANTS:
            if task.get(key) is not None:
                assert datetime.datetime.fromisoformat(task[key]).utcoffset() == datetime.timedelta(0), task[key]
                assert task[key].endswith("Z") and not task[key].endswith("0Z") or "." not in task[key], task[key]
        for key in DAYS:
            if task.get(key) is not None:
                datetime.date.fromisoformat(task[key])


@check("ndjson: every line parses, and says what json says; then the tombstones")
def lines(lab):
    for store, tombstones in [(lab.full, 2), (lab.empty, 0)]:
        head, *rows = ndjson(store)
        same(head, {"format": "daybook", "version": 1})
        names = [row["collection"] for row in rows]
        first, last = names.count("lists"), names.count("lists") + names.count("tasks")
        bare = [dict(list(row.items())[1:]) for row in rows]
        same(bare[:first], json.loads(store.export("json")).get("lists", []))
        same(bare[first:last], store.tasks())
        rest = rows[last:]
        same([row["collection"] for row in rest], ["tombstones"] * tombstones)
        assert all(row["deletedAt"] == NOW for row in rest)


@check("ndjson and json: export, import into a new store and export give the same bytes")
def round_trip(lab):
    for store in lab.stores:
        lines = store.export("ndjson")
        same(lab.store(lines).export("ndjson"), lines)
        file = store.export("json")
        same(lab.store(file).export("json"), file)


@check("json written by Python in other ways (escapes, no indentation, keys upside down) imports the same")
def other_spelling(lab):
    tasks = [dict(reversed(task.items())) for task in lab.full.tasks()]
    for options in [{"ensure_ascii": True, "separators": (",", ":")}, {"ensure_ascii": False, "indent": "\t"}]:
        same(lab.store(json.dumps({"tasks": tasks}, **options).encode()).tasks(), lab.full.tasks())


@check("NUL in a text, half a surrogate pair and a date that does not exist are refused")
def refusals(lab):
    for text, more in [("a\u0000b", {}), ("a\ud800", {}), ("a", {"scheduledDate": "2026-02-30"})]:
        store = lab.store()
        try:
            store.take(json.dumps([{"text": text, **more}]).encode())
            raise AssertionError(f"{text!r} {more} was imported")
        except Refused as refusal:
            assert "line 1" in str(refusal), refusal
        assert not store.folder.exists()
