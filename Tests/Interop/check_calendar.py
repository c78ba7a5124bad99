"""iCalendar, compared with the package icalendar."""

import datetime
import json
import zoneinfo

import icalendar

from checks import check, same
from daybook import ZONE
from difficult import TEXTS

STATUS = {"notStarted": "NEEDS-ACTION", "active": "IN-PROCESS", "completed": "COMPLETED"}
PRIORITY = {"none": None, "low": 9, "medium": 5, "high": 1}
UTC = datetime.timezone.utc


def todos(content):
    calendar = icalendar.Calendar.from_ical(content)
    for part in calendar.walk():
        assert not part.errors, part.errors
    return calendar.walk("VTODO")


def sayable(text):
    """Returns a text as a property can express it: no control characters but line ends and tabs, and one kind of line end."""
    text = text.replace("\r\n", "\n")
    return "".join(sign for sign in text if sign in "\n\t" or ord(sign) >= 32 and sign != "\x7f")


def moment(text):
    """Returns an instant of json in whole seconds, in the form of iCalendar."""
    return text and datetime.datetime.fromisoformat(text).replace(microsecond=0)


def due(task):
    """Returns the value of DUE: a date if the task is due by the end of that day."""
    if "dueDay" in task:
        return datetime.date.fromisoformat(task["dueDay"])
    at = moment(task.get("dueAt"))
    return at.astimezone(zoneinfo.ZoneInfo(ZONE)).date() if at and task.get("dueIsAllDay", True) else at


@check("ics: icalendar reads it without an error; each VTODO says what json says")
def values(lab):
    for store in lab.stores:
        tasks = store.tasks()
        found = todos(store.export("ics"))
        same([str(todo["UID"]) for todo in found], [task["id"] for task in tasks])
        for todo, task in zip(found, tasks):
            same(str(todo["SUMMARY"]), sayable(task["text"]))
            same(str(todo.get("DESCRIPTION", "")), sayable(task.get("note", "")))
            same(todo["DUE"].dt if "DUE" in todo else None, due(task), task["id"])
            same(todo["CREATED"].dt, moment(task["createdAt"]))
            same(todo["LAST-MODIFIED"].dt, moment(task["updatedAt"]))
            same(todo["COMPLETED"].dt if "COMPLETED" in todo else None, moment(task["completedAt"]))
            is_archived = "archivedAt" in task and task["state"] != "completed"
            same(str(todo["STATUS"]), "CANCELLED" if is_archived else STATUS[task["state"]])
            if "CATEGORIES" in todo or "category" in task:
                # Without a category the first tag would be one.
                same([str(name) for name in todo["CATEGORIES"].cats], [task["category"]] + task.get("tags", []))
            if "DTSTART" in todo:
                same(todo["DTSTART"].dt.isoformat(), task["scheduledDate"])
            relations = todo.get("RELATED-TO", [])
            relations = relations if isinstance(relations, list) else [relations]
            parents = [str(other) for other in relations if "RELTYPE" not in other.params]
            same(parents, [task["parentTask"]] if "parentTask" in task else [])
            same([str(other) for other in relations if "RELTYPE" in other.params], task.get("blockedBy", []))
            same(todo.get("PRIORITY"), PRIORITY[task.get("priority", "none")])
            alarms = [alarm["TRIGGER"].dt for alarm in todo.walk("VALARM")]
            same(alarms, [moment(task["reminderDate"])] if "reminderDate" in task else [])


@check("ics: lines end with CRLF, have at most 75 octets, and are folded between characters")
def lines(lab):
    for store in lab.stores:
        content = store.export("ics")
        same(content.count(b"\r\n"), content.count(b"\n"))
        same(content.count(b"\r"), content.count(b"\n"))
        *rows, rest = content.split(b"\r\n")
        same(rest, b"")
        for row in rows:
            assert 0 < len(row) <= 75, row
            row.decode()


@check("ics: export, import into a new store and export give the same bytes and the same tasks")
def round_trip(lab):
    for store in lab.stores:
        content = store.export("ics")
        copy = lab.store(content)
        same(copy.export("ics"), content)
        same(without_order(copy), without_order(store))


def without_order(store):
    return [{key: value for key, value in task.items() if key != "sortOrder"} for task in store.tasks()]


def written():
    """Returns a calendar written by icalendar, and the expected tasks."""
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Somebody//Else//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", "Mine, all \"mine\"")
    wanted = {}

    def add(number, expected, **properties):
        todo = icalendar.Todo()
        uid = f"9f247ada-f07f-4e73-8876-{number:012x}"
        todo.add("uid", uid)
        todo.add("dtstamp", datetime.datetime(2026, 2, 1, 8, tzinfo=UTC))
        for name, value in properties.items():
            value, parameters = value if isinstance(value, tuple) else (value, None)
            todo.add(name.replace("_", "-"), value, parameters=parameters)
        calendar.add_component(todo)
        wanted[uid] = expected
        return todo

    for number, text in enumerate(TEXTS):
        # icalendar loses a byte order mark at the beginning of a text.
        text = sayable(text).lstrip("\ufeff")
        if text.strip():
            add(number, {"text": text}, summary=text)
            add(100 + number, {"text": "note", "note": text}, summary="note", description=text)
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    tokyo = zoneinfo.ZoneInfo("Asia/Tokyo")
    add(200, {"dueDay": "2026-02-12", "scheduledDate": "2026-02-11"}, summary="days",
        dtstart=datetime.date(2026, 2, 11), due=datetime.date(2026, 2, 12))
    add(201, {"dueAt": "2026-07-01T10:00:00Z", "dueIsAllDay": False}, summary="utc",
        due=datetime.datetime(2026, 7, 1, 10, tzinfo=UTC))
    add(202, {"dueAt": "2026-07-01T08:00:00Z", "dueIsAllDay": False}, summary="zone",
        due=datetime.datetime(2026, 7, 1, 10, tzinfo=berlin))
    add(203, {"dueAt": "2026-07-01T01:00:00Z", "scheduledDate": "2026-06-30"}, summary="other zone",
        due=datetime.datetime(2026, 7, 1, 10, tzinfo=tokyo), dtstart=datetime.datetime(2026, 6, 30, 1, tzinfo=tokyo))
    add(204, {"dueAt": "2026-01-01T09:00:00Z"}, summary="floating", due=datetime.datetime(2026, 1, 1, 10))
    add(205, {"state": "completed", "completedAt": "2026-01-02T03:04:05Z"}, summary="done", status="COMPLETED",
        completed=datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), percent_complete=100)
    add(206, {"state": "active", "category": "home, and garden"}, summary="doing", status="IN-PROCESS",
        categories=["home, and garden", "work"], priority=1)
    add(207, {"text": "ßtrange"}, summary=("ßtrange", {"LANGUAGE": "de", "ALTREP": "cid:a;b:c,d", "X-Q": "a^b \"c\""}))
    add(208, {"recurringPattern": "FREQ=WEEKLY;COUNT=4;BYDAY=MO,WE", "scheduledDate": "2026-02-16"}, summary="again",
        dtstart=datetime.date(2026, 2, 16), rrule={"freq": "weekly", "count": 4, "byday": ["MO", "WE"]})
    todo = add(209, {"reminderDate": "2026-07-01T07:45:00Z"}, summary="alarm",
               due=datetime.datetime(2026, 7, 1, 10, tzinfo=berlin))
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", "soon")
    alarm.add("trigger", datetime.timedelta(minutes=-15), parameters={"RELATED": "END"})
    todo.add_component(alarm)
    add(210, {"dueAt": "2026-02-16T10:30:00Z"}, summary="lasts", dtstart=datetime.datetime(2026, 2, 16, 9, tzinfo=UTC),
        duration=datetime.timedelta(minutes=90))
    event = icalendar.Event()
    event.add("summary", "no task")
    event.add("dtstart", datetime.date(2026, 2, 10))
    calendar.add_component(event)
    return calendar, wanted


def refolded(content, width):
    """Returns the text folded at other positions, also within characters, as RFC 5545 permits."""
    rows = content.replace(b"\r\n ", b"").split(b"\r\n")
    return b"\r\n".join(
        b"\r\n ".join(row[place:place + width] for place in range(0, max(len(row), 1), width)) for row in rows)


@check("ics: calendars that icalendar writes import right, however they are folded, with and without VTIMEZONE")
def imports(lab):
    calendar, wanted = written()
    plain = calendar.to_ical()
    calendar.add_missing_timezones()
    for content in [plain, calendar.to_ical(), refolded(plain, 7), refolded(plain, 1_000), plain.replace(b"\r\n", b"\n"),
                    calendar.to_ical(sorted=False)]:
        store = lab.store(content)
        found = {task["id"]: task for task in store.tasks()}
        same(set(found), set(wanted))
        for uid, task in wanted.items():
            for key, value in task.items():
                same(found[uid].get(key), value, f"{found[uid]['text'][:40]}: {key}")


@check("ics: what icalendar has written and Daybook has no field for is still there for icalendar in the export")
def kept(lab):
    calendar, wanted = written()
    before = {str(todo["UID"]): todo for todo in calendar.walk("VTODO")}
    store = lab.store(calendar.to_ical())
    for todo in todos(store.export("ics")):
        old = before.pop(str(todo["UID"]))
        for name, value in old.property_items(sorted=False):
            if name not in ("BEGIN", "END"):
                same(as_ical(todo_property(todo, name)), as_ical(todo_property(old, name)), name)
    same(before, {})


def todo_property(todo, name):
    return [value for key, value in todo.property_items(sorted=False) if key == name]


def as_ical(values):
    return [value if isinstance(value, bytes) else value.to_ical() for value in values]
