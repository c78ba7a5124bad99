"""A store with something on every screen, for pictures and for `Scripts/web`."""

import json
import random
import sys
import tempfile
import uuid
from datetime import datetime, timedelta, timezone

from stores import Store

DONE = [
    "Water the tomatoes", "Answer the letters", "Call Ada", "Read two chapters", "Repair the bicycle", "Write a page", "Buy bread and milk", "Pay the rent",
    "Clean the windows", "Plan the week", "Sow the radishes", "Walk along the river", "Back up the photos",
]


def history(now, dice):
    """The completed tasks of a year, as lines of NDJSON: more on working days, few in summer, in the morning and after four."""
    yield dict(format="daybook", version=1)
    for back in range(364, 0, -1):
        day = now - timedelta(days=back)
        busy = (2.6 if day.weekday() < 5 else 1.2) * (0.4 if day.month in (7, 8) else 1)
        for order in range(min(9, int(dice.expovariate(1 / busy)))):
            completed = day.replace(hour=dice.choice([7, 8, 8, 9, 9, 9, 10, 10, 11, 12, 14, 15, 16, 16, 17, 17, 18, 20]), minute=dice.randrange(60), microsecond=0)
            created = completed - timedelta(days=dice.expovariate(1 / 9))
            yield dict(
                collection="tasks", id=str(uuid.UUID(int=dice.getrandbits(128), version=4)), text=dice.choice(DONE), state="completed",
                createdAt=created.strftime("%Y-%m-%dT%H:%M:%SZ"), updatedAt=completed.strftime("%Y-%m-%dT%H:%M:%SZ"),
                completedAt=completed.strftime("%Y-%m-%dT%H:%M:%SZ"), scheduledDate=completed.strftime("%Y-%m-%d"), sortOrder=order)


def past(kept):
    """Imports the year before: the same each time at an instant that the store's `environment` has."""
    given = dict(zip(kept.environment, kept.environment[1:])).get("--now")
    now = datetime.fromisoformat(given.replace("Z", "+00:00")) if given else datetime.now(timezone.utc)
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson") as file:
        file.writelines(json.dumps(line) + "\n" for line in history(now, random.Random(39)))
        file.flush()
        kept.run("import", file.name)


def seed(kept):
    """Fills a store."""
    past(kept)
    kept.run("list", "add", "Home", "--color", "34C759")
    kept.run("list", "add", "Thesis", "--color", "5856D6")
    kept.run("list", "add", "Garden", "--color", "FF9500")
    for text, words in [
        ("Order seeds for the balcony #seeds", ["--list", "Garden"]), ("Read about tides", []), ("Sort the photos of May !low", ["--list", "Home"]),
        ("Ask Marc about the boat", []),
    ]:
        kept.add(text, "--parse", *words)
    day = {}
    for text, words in [
        ("Review chapter 3 !high", ["--list", "Thesis", "--region", "morning", "--bucket", "must"]),
        ("Water the tomatoes every day #garden", ["--list", "Garden", "--region", "evening", "--bucket", "misc"]),
        ("Call Ada 17:30", ["--region", "afternoon", "--bucket", "complementary"]), ("Pay the invoice due today", ["--list", "Home"]),
        ("Walk along the river", []), ("Answer the letters", ["--list", "Home"]),
    ]:
        day[text.split()[0]] = kept.add(text, "--parse", "--on", "today", *words)
    kept.run("start", day["Review"])
    kept.run("done", day["Walk"], day["Answer"])
    for text, words in [
        ("Hand in the draft fri", ["--list", "Thesis"]), ("Dinner with Marc sat 19:00", []), ("Plan the trip tomorrow", ["--list", "Home"]),
        ("Prune the roses tomorrow #garden", ["--list", "Garden"]),
    ]:
        kept.add(text, "--parse", *words)
    thread = kept.run("journal", "new", text="Garden")
    kept.run("journal", "write", thread, text="The first tomatoes are red. Mint has taken over the corner by the wall.")


if __name__ == "__main__":
    seed(Store(sys.argv[1]))
