"""A store in a folder, and the program on it."""

import json
import os
import subprocess

BIN = os.environ["DAYBOOK_BIN"]


class Store:
    """A store in a temporary folder, and the program on it."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = []

    def run(self, *arguments, text=None, check=True):
        """Runs a command on the store, and returns what it printed."""
        result = self.process(*arguments, text=text)
        assert not check or result.returncode == 0, result.stderr
        return result.stdout.strip()

    def process(self, *arguments, text=None):
        """Runs a command on the store; a text that may begin with anything comes last."""
        words = [] if text is None else ["--", text]
        command = [f"{BIN}/daybook", *arguments, "--store", self.folder, *self.environment, *words]
        return subprocess.run(command, capture_output=True, text=True)

    def add(self, text, *arguments):
        return self.run("add", *arguments, text=text)

    def texts(self, view):
        return [task["text"] for task in json.loads(self.run(view, "--json"))["tasks"]]
