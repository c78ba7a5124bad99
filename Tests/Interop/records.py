"""Decodes records according to Documentation/Format.md, with the field names of `json`."""

import datetime
import uuid

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def _text(content):
    return content.decode()


def _number(content):
    return int.from_bytes(content, "little", signed=True)


def _instant(content):
    moment = EPOCH + datetime.timedelta(microseconds=_number(content))
    whole = moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return whole + (f".{moment.microsecond:06}".rstrip("0") if moment.microsecond else "") + "Z"


def _day(content):
    return datetime.date.fromordinal(EPOCH.toordinal() + _number(content)).isoformat()


def _uuid(content):
    return str(uuid.UUID(bytes=content))


def _choice(*names):
    return lambda content: names[content[0]]


TASK = {
    1: ("text", _text), 2: ("state", _choice("notStarted", "active", "completed")), 3: ("createdAt", _instant),
    4: ("updatedAt", _instant), 5: ("completedAt", _instant), 6: ("completedZone", _text),
    7: ("completedOffsetSeconds", _number), 8: ("scheduledDate", _day), 9: ("position", _number), 10: ("note", _text),
    11: ("category", _text), 12: ("completionEpoch", _number), 13: ("dueAt", _instant),
    14: ("dueIsAllDay", lambda content: content == b"\x00"), 15: ("reminderDate", _instant), 16: ("list", _uuid),
    17: ("listOrder", _number), 18: ("region", _choice("backlog", "morning", "afternoon", "evening")),
    19: ("bucket", _choice("none", "must", "complementary", "misc")), 20: ("planOrder", _number),
    21: ("autoCarry", lambda content: content == b"\x01"), 22: ("isSticky", lambda content: content == b"\x01"),
    23: ("expiresAt", _instant), 24: ("archivedAt", _instant), 25: ("isRecurring", lambda content: content == b"\x01"),
    26: ("recurringPattern", _text), 27: ("parent", _uuid), 28: ("carriedFrom", _day),
    29: ("carryCount", _number), 30: ("extra", _text), 31: ("dueDay", _day), 32: ("reminderDay", _day),
    33: ("reminderSecondsIntoDay", _number), 34: ("occurrenceDay", _day), 35: ("dueZone", _text),
    36: ("dueSecondsIntoDay", _number), 37: ("expirySecondsIntoDay", _number), 38: ("extraShiftDays", _number),
    39: ("tags", lambda content: content.decode().split("\n")), 40: ("priority", _choice("none", "high", "medium", "low")),
    41: ("waitUntil", _day), 42: ("parentTask", _uuid), 43: ("subtaskOrder", _number)}
TOMBSTONE = {
    1: ("deletedAt", _instant), 2: ("completedAt", _instant), 3: ("completedZone", _text),
    4: ("completedOffsetSeconds", _number)}
SIZES = {1: 1, 2: 4, 3: 8, 4: 16}


def record(value, names):
    """Returns the fields of a record, by name."""
    assert value[0] == 1, "the version of the encoding"
    place, last, found = 1, 0, {}
    while place < len(value):
        number, form = value[place:place + 2]
        assert last < number <= 63, "the fields do not ascend"
        place, last = place + 2, number
        if form in SIZES:
            length = SIZES[form]
        else:
            head = {5: 1, 6: 4}[form]
            length = int.from_bytes(value[place:place + head], "little")
            place += head
        name, decode = names[number]
        found[name] = decode(value[place:place + length])
        place += length
    assert place == len(value)
    return found
