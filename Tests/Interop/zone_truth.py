"""Computes where local days start in every zone from 1970 to 2037, by CPython's zoneinfo instead of Daybook's own code.

`python3 Tests/Interop/zone_truth.py FOLDER` writes two tables for `daybook simulate zones FOLDER`:
`digests-VERSION.csv` with a SHA-256 over all days of each zone, and `hard-cases.csv` with irregular days.
"""

import csv
import datetime
import hashlib
import multiprocessing
import pathlib
import sys
import zoneinfo

DAY = 86_400
EPOCH = datetime.datetime(1970, 1, 1)
FIRST = 0  # 1970-01-01, in days since then
LAST = (datetime.date(2037, 12, 31) - EPOCH.date()).days
STEP = 12 * 3_600  # No zone changed its offset there and back within so short a time.
MARGIN = 10 * DAY


def date(day):
    return (EPOCH + datetime.timedelta(days=day)).date().isoformat()


def instant(second):
    return (EPOCH + datetime.timedelta(seconds=second)).isoformat() + "Z"


def periods(zone):
    """Yields (start, end, offset) for each period of constant offset, around the years of interest."""

    def offset(second):
        return datetime.datetime.fromtimestamp(second, zone).utcoffset()

    end = (LAST + 1) * DAY + MARGIN
    start = second = -MARGIN
    current = offset(second)
    while second < end:
        after = second + STEP
        if offset(after) != current:
            low, high = second, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == current else (low, middle)
            yield start, high, round(current.total_seconds())
            start, current = high, offset(high)
        second = after
    yield start, end, round(current.total_seconds())


class Days:
    """The local days of a zone: a day starts at the first instant with its date, and lasts until the next date starts."""

    def __init__(self, name):
        self.name = name
        self.periods = list(periods(zoneinfo.ZoneInfo(name)))
        starts = {}
        latest = None
        for start, end, offset in self.periods:
            for day in range((start + offset) // DAY, (end - 1 + offset) // DAY + 1):
                if latest is None or day > latest:
                    starts[day] = max(start, day * DAY - offset)
                    latest = day
        self.starts = starts
        self.days = [day for day in range(FIRST, LAST + 1) if day in starts]

    def end(self, day):
        return self.starts[min(later for later in range(day + 1, day + 4) if later in self.starts)]

    def digest(self):
        text = "".join(f"{date(day)},{self.starts[day]}\n" for day in self.days)
        return hashlib.sha256(text.encode()).hexdigest()

    def hard_cases(self):
        """Yields (description, instant) around irregular days, except for the usual 23 and 25 hours from midnight."""
        for start, end, offset in self.periods[1:]:
            # The clock shows an earlier date again, after a later one has begun.
            shown = (start + offset) // DAY
            if FIRST < shown < LAST and shown in self.starts and start >= self.end(shown):
                yield "NONCONTIGUOUS day: last second before the date repeats", start - 1
                yield "NONCONTIGUOUS day: the date repeats after the next one has begun", start
        for day in self.days:
            start, end = self.starts[day], self.end(day)
            from_midnight = (start + self.offset(start)) % DAY
            skipped = day - 1 not in self.starts
            if skipped or from_midnight or end - start not in (23 * 3_600, DAY, 25 * 3_600):
                yield "irregular day: second before it", start - 1
                yield "irregular day: first second", start
                yield "irregular day: last second", end - 1

    def offset(self, second):
        return next(offset for start, end, offset in self.periods if start <= second < end)

    def rows(self):
        for description, second in self.hard_cases():
            offset = self.offset(second)
            day = (second + offset) // DAY
            if not FIRST < day < LAST:
                continue
            start, end = self.starts[day], self.end(day)
            yield [
                self.name, description, instant(second), date(day), instant(start), instant(end), end - start,
                int(not description.startswith("NONCONTIGUOUS")), offset, 1,
            ]


def compute(name):
    days = Days(name)
    return len(days.days), days.digest(), list(days.rows())


def data_folder():
    for folder in zoneinfo.TZPATH:
        if (pathlib.Path(folder) / "tzdata.zi").exists():
            return pathlib.Path(folder)
    sys.exit("There is no tzdata.zi below " + ", ".join(zoneinfo.TZPATH) + ". Install tzdata.")


def main(target):
    folder = data_folder()
    version = (folder / "tzdata.zi").read_text().split("\n", 1)[0].split()[-1]
    # Aliases have equal files, and are computed once.
    files = {}
    for name in sorted(zoneinfo.available_timezones()):
        path = folder / name
        if path.is_file() and name not in ("localtime", "posixrules", "Factory"):
            files.setdefault(path.read_bytes(), []).append(name)
    with multiprocessing.Pool() as pool:
        results = dict(zip(files, pool.map(compute, [names[0] for names in files.values()], chunksize=4)))
    target = pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)
    digests = sorted(
        (name, names[0], results[content][0], results[content][1])
        for content, names in files.items() for name in names)
    with open(target / f"digests-{version}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["zone", "target_or_self", "lines", "sha256"])
        writer.writerows(digests)
    with open(target / "hard-cases.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([
            "zone", "description", "instant_utc", "local_date", "start_of_day_utc", "next_day_start_utc",
            "length_of_day_seconds", "contiguous", "utc_offset_at_instant", "same_in_debian_2025b",
        ])
        for content in files:
            writer.writerows(results[content][2])
    print(f"{len(digests)} zones, version {version}, computed by Python {sys.version.split()[0]}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
