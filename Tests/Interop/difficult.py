"""Tasks with values that are difficult for spreadsheets and other programs."""

import json

TEXTS = [
    "a, comma; a semicolon", 'a "quoted" word, and "', "two\nlines", "carriage\r\nreturn and\rone", "tab\there",
    "=1+1", "+1", "-1", "@sum", "\t=1", "\r=1", "'=1", "''@x", "'", "'quoted'", "|pipe|", "  blanks around  ",
    "👩‍👩‍👧‍👦 family, 🇹🇷 flag, é and e\u0301", "مرحبا بالعالم \u202e RTL \u202c", "שלום", "\\n is no line end \\, \\;",
    "BEGIN:VTODO", "END:VCALENDAR", "x 2026-02-10 done?", "(A) priority", "due:2026-02-12 t:2026-02-13 id:42",
    "- [ ] a box", "📅 2026-02-12 ✅ 🆔 abc", "+project @context #tag", "[category:: no]", "{\"json\": [1]}",
    "\u0001\u0007\u001b[31m control \u007f\u0085\u2028\u2029", "\ufeffa mark", "null", "%20%0A", "a\u0000b"[:1],
    "long " * 12_000, "長" * 5_000, "😀" * 75, "y" * 74 + "é" * 40, "~~~", "```", "&#128197;", "^link", "sep=;",
]

NOTES = ["one line", "lines\n\n  indented\n- [ ] a box\n\n", "=cmd|' /C calc'!A0", "\r\n", "\n\nfirst\n", "```\ncode\n",
         "DESCRIPTION:x\r\n folded", "end\\", "emoji 🧵\nand, commas; \"quotes\"", "z" * 3_000]


def lines():
    """Returns the tasks as NDJSON that Daybook reads."""
    tasks = [_task(number, text=text) for number, text in enumerate(TEXTS)]
    tasks += [_task(100 + number, text=f"notes {number}", note=notes) for number, notes in enumerate(NOTES)]
    tasks += [_task(200 + number, **fields) for number, fields in enumerate(_fields())]
    rows = [{"format": "daybook", "version": 1}, *({"collection": "tasks", **task} for task in tasks)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _id(number):
    return f"019c4722-f0a0-7000-8000-{number:012x}"


def _task(number, **fields):
    task = {
        "id": _id(number), "text": f"task {number}", "state": "notStarted",
        "createdAt": "2026-02-10T09:15:00Z", "updatedAt": "2026-02-10T09:15:00Z"}
    return task | fields


def _fields():
    done = {"state": "completed", "completedAt": "2026-02-10T10:15:00.25Z", "completedZone": "Europe/Berlin",
            "completedOffsetSeconds": 3600}
    other = _id(0xff)
    return [
        {"state": "active", "scheduledDate": "2026-02-11"},
        {"state": "active", "scheduledDate": "2026-02-12", "dueAt": "2026-02-12T23:00:00Z"},
        {"scheduledDate": "0001-01-01"}, {"scheduledDate": "9999-12-31"},
        {"dueAt": "2026-02-11T23:00:00Z"}, {"dueAt": "2026-03-01T12:30:00Z", "dueIsAllDay": False},
        {"dueAt": "2026-03-01T12:30:00.123456Z", "dueIsAllDay": False, "scheduledDate": "2026-02-20"},
        {"dueAt": "2026-03-29T00:59:59Z", "dueIsAllDay": False}, {"dueAt": "2026-10-25T01:30:00Z", "dueIsAllDay": False},
        {"reminderDate": "2026-02-11T07:00:00Z"}, {"reminderDate": "2026-02-11T07:00:00.5Z", "dueAt": "2026-02-11T23:00:00Z"},
        {"category": "garden"}, {"category": "front garden, left; right"}, {"category": "=2"}, {"category": "日本"},
        done, done | {"scheduledDate": "2026-02-10", "note": "done\nwell", "completionEpoch": 3},
        {"archivedAt": "2026-02-10T11:00:00Z", "updatedAt": "2026-02-10T11:00:00Z"}, done | {"archivedAt": "2026-02-10T12:00:00.5Z"},
        {"isRecurring": True, "recurringPattern": "weekly", "dueAt": "2026-02-14T23:00:00Z"},
        {"isRecurring": True, "recurringPattern": "FREQ=WEEKLY;BYDAY=MO,TU", "scheduledDate": "2026-02-16"},
        {"recurringPattern": "every day", "parent": other},
        {"isRecurring": True, "recurringPattern": "daily", "dueAt": "2026-03-29T01:30:00Z", "dueIsAllDay": False,
         "dueZone": "Europe/Berlin", "dueSecondsIntoDay": 9_000},
        {"expiresAt": "2029-03-25T01:30:00Z", "expirySecondsIntoDay": 9_000},
        {"createdAt": "1969-12-31T23:59:59.999999Z"}, {"updatedAt": "2026-02-10T15:59:59.000001Z"},
        {"list": other, "listOrder": -5, "region": "morning", "bucket": "must", "planOrder": 7, "autoCarry": True,
         "isSticky": True, "expiresAt": "2027-01-01T00:00:00Z", "carriedFrom": "2026-02-09", "carryCount": 4},
        {"tags": ["=x", "deep work", "a,b", "ü"], "priority": "high", "waitUntil": "2026-02-20"},
        {"parentTask": other, "subtaskOrder": 4294967296}, {"priority": "low", "text": "call @home #x +p"},
        {"blockedBy": [_id(0), _id(1)]}, {"list": _id(0xfe), "listName": "=a list, with everything"},
        {"extra": {"anything": [1, 2.5, None, {"deep": "=x"}], "é": "\n"}},
    ]
