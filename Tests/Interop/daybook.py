"""The program, as anyone calls it: a command line, bytes in, bytes out."""

import json
import os
import pathlib
import subprocess

NOW = "2026-02-10T16:00:00Z"
ZONE = "Europe/Berlin"
FORMATS = ["json", "ndjson", "taskwarrior", "ics", "csv", "todotxt", "markdown"]


class Refused(Exception):
    """The program ended with another status than 0."""


def run(*arguments, stdin=b""):
    """What the program writes to standard output."""
    done = subprocess.run(
        [os.environ["DAYBOOK"], *map(str, arguments)], input=stdin, capture_output=True, timeout=300)
    if done.returncode != 0:
        raise Refused(f"daybook {arguments[0]}: {done.returncode}: {done.stderr.decode()[:2000]}")
    return done.stdout


class Store:
    """A store in a folder, always at the same moment and in the same zone."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, *arguments, stdin=b""):
        return run(*arguments, "--store", self.folder, "--now", NOW, "--zone", ZONE, stdin=stdin)

    def take(self, content, *options):
        """Imports a file with this content."""
        return self.run("import", "-", *options, stdin=content)

    def export(self, form, *options):
        return self.run("export", "--format", form, *options)

    def tasks(self):
        """The tasks as `json` has them, in its order."""
        return json.loads(self.export("json"))["tasks"]
