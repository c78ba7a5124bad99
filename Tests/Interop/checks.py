"""The list of checks. A check is a function with assertions; its docstring states what it checks."""

import dataclasses
import pathlib

from daybook import Store

CHECKS = []


class Skipped(Exception):
    """A requirement of a check is missing."""


def check(title):
    """Adds a function to the list."""

    def add(function):
        CHECKS.append((title, function))
        return function

    return add


@dataclasses.dataclass
class Lab:
    """What the checks use: a store of tasks with difficult values, an empty one, and a temporary folder."""

    folder: pathlib.Path
    full: Store
    empty: Store
    _count: int = 0

    @property
    def stores(self):
        return [self.full, self.empty]

    def place(self, name):
        """Returns an unused path."""
        self._count += 1
        return self.folder / f"{self._count}-{name}"

    def store(self, content=None, *options):
        """Creates a store with the tasks of a file."""
        store = Store(self.place("store"))
        if content is not None:
            store.take(content, *options)
        return store


def same(left, right, what=""):
    """Asserts that two values are equal, and prints the differences."""
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
