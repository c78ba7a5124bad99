"""Recurrence rules, compared with the package python-dateutil."""

import datetime
import itertools
import os
import pathlib
import random
import subprocess

from dateutil.rrule import rrulestr

from checks import check

RULES = 10_000
DAYS = 40
# Leap years are at most 8 years apart.
SPAN = 20 * 366
# The last year in which dateutil looks for days: a rule that never occurs would keep it busy for a second.
datetime.MAXYEAR = 2060
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


def some(dice, values, most=4):
    return sorted(set(dice.choices(values, k=dice.randint(1, most))))


def joined(values):
    return ",".join(str(value) for value in values)


def random_rule(dice):
    """Returns a random RRULE of the parts that Daybook supports."""
    frequency = dice.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    is_long = frequency in ("MONTHLY", "YEARLY")
    parts = {"FREQ": frequency}
    if dice.random() < 0.5:
        parts["INTERVAL"] = dice.choice([1, 2, 3, 4, 5, 7, 10, 13])
    if dice.random() < 0.3:
        parts["BYMONTH"] = joined(some(dice, range(1, 13)))
    if frequency != "WEEKLY" and dice.random() < 0.4:
        # The end of the month is where rules differ.
        days = [*range(1, 32), 28, 29, 30, 31, -1, -2, -3, -28, -29, -30, -31]
        parts["BYMONTHDAY"] = joined(some(dice, days))
    if dice.random() < 0.4:
        days = some(dice, WEEKDAYS)
        # dateutil requires both an ordinal and a plain weekday where a list has both kinds; RFC 5545 has either.
        if is_long and dice.random() < 0.5:
            last = 53 if frequency == "YEARLY" and "BYMONTH" not in parts else 5
            ordinals = [dice.choice([1, 2, -1, -2, dice.randint(1, last), -dice.randint(1, last)]) for _ in days]
            days = [f"{ordinal}{day}" for ordinal, day in zip(ordinals, days)]
        parts["BYDAY"] = joined(days)
    if is_long and ("BYMONTHDAY" in parts or "BYDAY" in parts) and dice.random() < 0.3:
        parts["BYSETPOS"] = joined(some(dice, [1, 2, 3, 10, -1, -2, -3], 2))
    if is_long and dice.random() < 0.1:
        last = dice.randint(29, 31)
        parts = {"FREQ": frequency, "BYMONTHDAY": joined(range(28, last + 1)), "BYSETPOS": -1}
    if frequency == "WEEKLY" and dice.random() < 0.4:
        parts["WKST"] = dice.choice(WEEKDAYS)
    ending = dice.random()
    if ending < 0.25:
        parts["COUNT"] = dice.randint(1, 2 * DAYS)
    elif ending < 0.5:
        parts["UNTIL"] = f"{dice.randint(1970, 2040)}{dice.randint(1, 12):02}{dice.randint(1, 28):02}"
    names = list(parts)
    dice.shuffle(names)
    return ";".join(f"{name}={parts[name]}" for name in names)


def random_start(dice):
    if dice.random() < 0.2:
        return dice.choice([datetime.datetime(2024, 2, 29), datetime.datetime(2026, 1, 31), datetime.datetime(2026, 12, 31)])
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(days=dice.randint(0, 25_000))


@check(f"recurrence: python-dateutil finds the same days for {RULES} random rules")
def random_rules(lab):
    seed = int(os.environ.get("DAYBOOK_SEED", random.randrange(1 << 32)))
    print(f"         seed {seed} (DAYBOOK_SEED={seed} repeats it)", flush=True)
    dice = random.Random(seed)
    rules = [(random_start(dice), random_rule(dice)) for _ in range(RULES)]
    lines = "".join(f"{start:%Y-%m-%d}\t{rule}\n" for start, rule in rules)
    program = pathlib.Path(os.environ["DAYBOOK"]).with_name("daybook-lab")
    done = subprocess.run(
        [program, "recurrence", "--rules", "-", "--count", str(DAYS), "--span", str(SPAN)], input=lines.encode(),
        capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    answers = done.stdout.decode().split("\n")[:-1]
    assert len(answers) == RULES, len(answers)
    found_days = 0
    for (start, rule), answer in zip(rules, answers):
        limit = start + datetime.timedelta(days=SPAN)
        theirs = itertools.islice(bounded(rrulestr(rule, dtstart=start), limit), DAYS)
        expected = [f"{day:%Y-%m-%d}" for day in theirs]
        found = answer.split()
        assert found == expected, f"seed {seed}: {rule} from {start:%Y-%m-%d}: {found[:5]} is not {expected[:5]}"
        found_days += len(found)
    assert found_days > 8 * RULES, found_days


def bounded(rule, limit):
    """Returns the days of a rule up to a limit, where dateutil then stops looking."""
    until = rule._until
    return rule if until and until <= limit else rule.replace(until=limit)
