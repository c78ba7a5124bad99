"""Runs the program: a command line, bytes for standard input, bytes of standard output."""

import json
import os
import pathlib
import subprocess

NOW = "2026-02-10T16:00:00Z"
ZONE = "Europe/Berlin"
FORMATS = ["json", "ndjson", "taskwarrior", "ics", "csv", "todotxt", "markdown"]


class Refused(Exception):
    """The program exited with a status other than 0."""


def run(*arguments, stdin=b""):
    """Runs the program and returns its standard output."""
    done = subprocess.run(
        [os.environ["DAYBOOK"], *map(str, arguments)], input=stdin, capture_output=True, timeout=300)
    if done.returncode != 0:
        raise Refused(f"daybook {arguments[0]}: {done.returncode}: {done.stderr.decode()[:2000]}")
    return done.stdout


class Store:
    """A store in a folder, with a fixed time and zone."""

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
        """Returns the tasks in the form and order of `json`."""
        return json.loads(self.export("json"))["tasks"]
