"""A store with something on every screen, for pictures and for `Scripts/web`."""

import sys

from stores import Store


def seed(kept):
    """Fills a store."""
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
