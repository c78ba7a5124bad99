"""The list of checks. A check is a function that asserts; its text says what holds."""

import dataclasses
import pathlib

from daybook import Store

CHECKS = []


class Skipped(Exception):
    """What a check needs is not there."""


def check(title):
    """Adds a function to the list."""

    def add(function):
        CHECKS.append((title, function))
        return function

    return add


@dataclasses.dataclass
class Lab:
    """What the checks look at: a store full of nasty tasks, an empty one, and room for more."""

    folder: pathlib.Path
    full: Store
    empty: Store
    _count: int = 0

    @property
    def stores(self):
        return [self.full, self.empty]

    def place(self, name):
        """A path that nothing has used."""
        self._count += 1
        return self.folder / f"{self._count}-{name}"

    def store(self, content=None, *options):
        """A new store, with the tasks of a file."""
        store = Store(self.place("store"))
        if content is not None:
            store.take(content, *options)
        return store


def same(left, right, what=""):
    """Asserts that two things are equal, and shows where they are not."""
    if left == right:
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in [*left, *right]:
            same(left.get(key), right.get(key), f"{what}.{key}")
    if isinstance(left, list) and isinstance(right, list):
        assert len(left) == len(right), f"{what}: {len(left)} and {len(right)} of them"
        for index, pair in enumerate(zip(left, right)):
            same(*pair, f"{what}[{index}]")
    raise AssertionError(f"{what}: {str(left)[:300]!r} is not {str(right)[:300]!r}")
