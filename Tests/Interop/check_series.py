"""Recurring tasks of files: imported in one zone, completed in another, and exported in a third, compared with python-dateutil
and a plain model of the days."""

import datetime
import json
import os
import random
import re
import zoneinfo

from dateutil.rrule import rrulestr

import daybook
from checks import check, same
from check_recurrence import WEEKDAYS, joined, some

SERIES = 10_000
NOW = datetime.datetime(2026, 2, 10, 9, 15, tzinfo=datetime.timezone.utc)
ZONES = ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Asia/Kolkata", "America/Santiago", "UTC"]
DAY = datetime.timedelta(days=1)
# The id of a record; an occurrence names its series as well, in another field.
IDENTITY = re.compile(r'(?:UID:|id:|🆔 |"uuid":")([0-9a-f-]{36})')


def random_day(dice):
    if dice.random() < 0.3:
        return dice.choice([datetime.date(2025, 12, 31), datetime.date(2026, 1, 31), datetime.date(2024, 2, 29),
                            datetime.date(2026, 1, 30), datetime.date(2026, 3, 22), datetime.date(2025, 11, 30)])
    return datetime.date(2026, 2, 10) + datetime.timedelta(days=dice.randint(-200, 60))


class Series:
    """A recurring task: when it is planned and due, its rule, and what the next occurrence must be."""

    def __init__(self, dice, number, zones):
        self.number, self.zones = number, zones
        self.text = f"Series {number}"
        self.planned = random_day(dice) if dice.random() < 0.5 else None
        self.due = None if self.planned and dice.random() < 0.4 else random_day(dice)
        if self.planned and self.due and self.due < self.planned:
            self.due = self.planned + datetime.timedelta(days=dice.randint(0, 9))
        self.time = self.zone = None
        self.excluded, self.added = [], []

    @property
    def anchor(self):
        return self.planned or self.due

    def days(self):
        """The days of the rule from the anchor on."""
        start = datetime.datetime.combine(self.anchor, datetime.time())
        for day in rrulestr(self.rule, dtstart=start).xafter(start, inc=True):
            yield day.date()

    def remaining(self):
        days = (day for day in self.days() if day not in self.excluded)
        waiting = sorted(day for day in self.added if day not in self.excluded)
        for day in days:
            while waiting and waiting[0] <= day:
                first = waiting.pop(0)
                if first != day:
                    yield first
            yield day
        yield from waiting

    def next(self, zone):
        """The planned day and the due date of the task after this one; None after the last one."""
        today = NOW.astimezone(zoneinfo.ZoneInfo(zone)).date()
        own = self.anchor
        if own in self.excluded:
            own = next((day for day in self.remaining() if day > own), None)
            if own is None:
                return None
        day = next((day for day in self.remaining() if day > own and day >= today), None)
        if day is None:
            return None
        moved = day - self.anchor
        return self.planned and str(self.planned + moved), self.due and self.due_text(self.due + moved, zone)

    def due_text(self, day, zone):
        if self.time is None:
            return str(day)
        return utc(day, self.time, self.zone or zone)


def utc(day, time, zone):
    """The instant of a time of day: in a gap the first one after it, else the first of two."""
    zone = zoneinfo.ZoneInfo(zone)
    local = datetime.datetime.combine(day, time, tzinfo=zone)
    back = local.astimezone(datetime.timezone.utc).astimezone(zone)
    if back.replace(tzinfo=None) != local.replace(tzinfo=None):
        # fold=0 uses the offset before the gap, so that the result lies as far behind the gap as the time within it.
        local = back
        while (local - datetime.timedelta(minutes=1)).utcoffset() == back.utcoffset():
            local = (local.astimezone(datetime.timezone.utc) - datetime.timedelta(minutes=1)).astimezone(zone)
    return f"{local.astimezone(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"


class Calendar(Series):
    form = "ics"

    def __init__(self, dice, number, zones):
        super().__init__(dice, number, zones)
        frequency = dice.choice(["DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "YEARLY"])
        parts = {"FREQ": frequency}
        if dice.random() < 0.5:
            parts["INTERVAL"] = dice.choice([1, 2, 3, 5])
        if frequency == "WEEKLY" and dice.random() < 0.5:
            parts["BYDAY"] = joined(some(dice, WEEKDAYS))
        if frequency == "MONTHLY" and dice.random() < 0.5:
            parts["BYMONTHDAY"] = joined(some(dice, [1, 15, 28, 29, 30, 31, -1, -2]))
        ending = dice.random()
        if ending < 0.2:
            parts["COUNT"] = dice.randint(1, 30)
        elif ending < 0.4:
            parts["UNTIL"] = f"{dice.choice([2026, 2027])}{dice.randint(1, 12):02}{dice.randint(1, 28):02}"
        self.rule = ";".join(f"{name}={value}" for name, value in parts.items())
        if not self.planned and dice.random() < 0.5:
            self.time = datetime.time(dice.choice([0, 2, 8, 18, 23]), dice.choice([0, 30]))
            self.zone = dice.choice(ZONES[:5])
        several = [day for day, _ in zip(self.days(), range(8))]
        if several and dice.random() < 0.3:
            self.excluded = some(dice, several)
        elif dice.random() < 0.2:
            self.added = [self.anchor + datetime.timedelta(days=dice.randint(1, 90)) for _ in range(2)]

    def lines(self):
        rule = self.rule
        if self.time and "UNTIL=" in rule:
            # The last occurrence is on that day, whose end is given as an instant.
            before, day = rule.split("UNTIL=")
            end = datetime.datetime.strptime(day, "%Y%m%d").date()
            rule = before + "UNTIL=" + utc(end, self.time, self.zone).replace("-", "").replace(":", "")
        elif rule.startswith("FREQ=DAILY") and "INTERVAL" not in rule and self.number % 3 == 0:
            rule = rule.replace("FREQ=DAILY", "FREQ=SECONDLY;INTERVAL=86400")
        yield from ["BEGIN:VTODO", f"UID:series-{self.number}", "DTSTAMP:20260101T100000Z", f"SUMMARY:{self.text}"]
        if self.planned:
            yield f"DTSTART;VALUE=DATE:{self.planned:%Y%m%d}"
        if self.due and self.time:
            yield f"DUE;TZID={self.zone}:{self.due:%Y%m%d}T{self.time:%H%M%S}"
        elif self.due:
            yield f"DUE;VALUE=DATE:{self.due:%Y%m%d}"
        yield f"RRULE:{rule}"
        for name, days in [("EXDATE", self.excluded), ("RDATE", self.added)]:
            if days and self.time:
                yield f"{name};TZID={self.zone}:" + ",".join(f"{day:%Y%m%d}T{self.time:%H%M%S}" for day in days)
            elif days:
                yield f"{name};VALUE=DATE:" + ",".join(f"{day:%Y%m%d}" for day in days)
        yield from ["STATUS:NEEDS-ACTION", "LOCATION:Shed", "END:VTODO"]

    @staticmethod
    def file(series):
        lines = [line for one in series for line in one.lines()]
        return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//series//EN", *lines, "END:VCALENDAR", ""])

    def keeps(self, exported):
        return "LOCATION:Shed" in exported


class Words(Series):
    """A series whose rule is a period in words: it keeps to the end of the month."""

    def __init__(self, dice, number, zones):
        super().__init__(dice, number, zones)
        self.unit, self.every = dice.choice("dwmy"), dice.choice([1, 1, 2, 3, 6])

    @property
    def rule(self):
        frequency = {"d": "DAILY", "w": "WEEKLY", "m": "MONTHLY", "y": "YEARLY"}[self.unit]
        rule = f"FREQ={frequency};INTERVAL={self.every}"
        if self.unit == "m" and self.anchor.day > 28:
            rule += f";BYMONTHDAY={joined(range(28, self.anchor.day + 1))};BYSETPOS=-1"
        if self.unit == "y" and (self.anchor.month, self.anchor.day) == (2, 29):
            rule += ";BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"
        return rule


class TodoText(Words):
    form = "todotxt"

    @staticmethod
    def file(series):
        return "".join(one.line() + "\n" for one in series)

    def line(self):
        planned = f" t:{self.planned}" if self.planned else ""
        due = f" due:{self.due}" if self.due else ""
        return f"(B) 2026-01-01 {self.text} @home{planned}{due} rec:+{self.every}{self.unit} foo:bar"

    def keeps(self, exported):
        return "(B) " in exported and "foo:bar" in exported


class Markdown(Words):
    form = "markdown"
    names = {"d": "day", "w": "week", "m": "month", "y": "year"}

    @staticmethod
    def file(series):
        return "".join(one.line() + "\n" for one in series)

    def line(self):
        planned = f" ⏳ {self.planned}" if self.planned else ""
        due = f" 📅 {self.due}" if self.due else ""
        name = self.names[self.unit]
        period = f"every {name}" if self.every == 1 else f"every {self.every} {name}s"
        return f"- [ ] {self.text} ⏫ 🔁 {period} 🛫 {self.anchor - 3 * DAY}{planned}{due}"

    def keeps(self, exported):
        day = self.next(self.zones[1])
        start = datetime.date.fromisoformat((day[0] or day[1])[:10]) - 3 * DAY
        return "⏫" in exported and f"🛫 {start}" in exported


class Taskwarrior(Words):
    form = "taskwarrior"
    words = {"d": "d", "w": "wks", "m": "mo", "y": "y"}

    def __init__(self, dice, number, zones):
        super().__init__(dice, number, zones)
        self.planned, self.due = None, self.due or self.planned
        self.time = datetime.time()

    @staticmethod
    def file(series):
        return json.dumps([one.attributes() for one in series])

    def attributes(self):
        due = utc(self.due, self.time, self.zones[0]).replace("-", "").replace(":", "")
        return {"uuid": f"3a1c0d52-0d3f-4d8b-9c7a-{self.number:012}", "description": self.text, "status": "pending",
                "entry": "20260101T100000Z", "modified": "20260101T100000Z", "due": due, "priority": "H",
                "parent": f"3a1c0d52-0d3f-4d8b-9c7b-{self.number:012}", "estimate": "PT2H",
                "recur": f"{self.every}{self.words[self.unit]}"}

    def keeps(self, exported):
        return '"priority":"H"' in exported and '"estimate":"PT2H"' in exported


def records(form, exported):
    """The text of each record of an export."""
    if form == "ics":
        return exported.replace("\r\n ", "").split("BEGIN:VTODO")[1:]
    return exported.splitlines()


@check(f"series: {SERIES} tasks of files recur on the days of python-dateutil, in any zones, and keep what has no field")
def series(lab):
    seed = int(os.environ.get("DAYBOOK_SEED", random.randrange(1 << 32)))
    print(f"         seed {seed} (DAYBOOK_SEED={seed} repeats it)", flush=True)
    dice = random.Random(seed)
    kinds = [Calendar, TodoText, Markdown, Taskwarrior]
    size = 250
    followed = 0
    for number in range(0, SERIES, size):
        kind = kinds[number // size % len(kinds)]
        # A time without a zone is that of the reader, so Taskwarrior's instants stay in one.
        zones = [dice.choice(ZONES)] * 3 if kind is Taskwarrior else [dice.choice(ZONES) for _ in range(3)]
        tasks = [kind(dice, number + index, zones) for index in range(size)]
        followed += compare(lab, kind, tasks, zones, seed)
    assert followed > SERIES / 2, followed


def compare(lab, kind, tasks, zones, seed):
    folder = lab.place("series")

    def run(zone, *arguments, stdin=b""):
        return daybook.run(*arguments, "--store", folder, "--now", "2026-02-10T09:15:00Z", "--zone", zone, stdin=stdin)

    run(zones[0], "import", "-", "--format", kind.form, stdin=kind.file(tasks).encode())
    stored = json.loads(run(zones[0], "export", "--format", "json"))["tasks"]
    open_ids = [task["id"] for task in stored if not task.get("archivedAt")]
    run(zones[1], "done", *open_ids)
    stored = json.loads(run(zones[1], "export", "--format", "json"))["tasks"]
    # Words of a line that have no field are part of the text.
    found = {" ".join(task["text"].split()[:2]): task for task in stored
             if task["state"] == "notStarted" and not task.get("archivedAt")}
    file = run(zones[2], "export", "--format", kind.form).decode()
    exported = {identity: record for record in records(kind.form, file) for identity in IDENTITY.findall(record)}
    for task in tasks:
        what = f"seed {seed}, {kind.form}, {zones}, {task.text}: {task.rule} from {task.planned} due {task.due} {task.time}"
        expected = task.next(zones[1])
        new = found.get(task.text)
        day = new and (new.get("scheduledDate") or new.get("dueDay") or new.get("dueAt"))
        if expected is None and day and day > str(datetime.MAXYEAR):
            continue  # Beyond the last year in which dateutil looks.
        assert (new is None) == (expected is None), f"{what}: {new} is not {expected}"
        if new is None:
            continue
        same([new.get("scheduledDate"), new.get("dueDay") or new.get("dueAt")], list(expected), what)
        assert task.keeps(exported[new["id"]]), f"{what}: {exported[new['id']]}"
    return len(found)
