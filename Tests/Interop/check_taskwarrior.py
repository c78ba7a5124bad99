"""Imports and exports by Taskwarrior itself, with a separate home folder."""

import json
import os
import subprocess

from check_json import INSTANTS
from checks import check, same

CONFIGURATION = "confirmation=off\nhooks=off\ngc=off\nrecurrence=off\nverbose=nothing\njson.array=on\n"


class Taskwarrior:
    """An empty list of tasks."""

    def __init__(self, lab):
        self.home = lab.place("taskwarrior")
        self.home.mkdir()
        (self.home / "taskrc").write_text(f"data.location={self.home}\n{CONFIGURATION}")

    def run(self, *arguments, stdin=b""):
        environment = os.environ | {
            "HOME": str(self.home), "TASKRC": str(self.home / "taskrc"), "TASKDATA": str(self.home), "TZ": "UTC"}
        done = subprocess.run(["task", *arguments], input=stdin, capture_output=True, env=environment, timeout=300)
        assert done.returncode == 0, f"task {arguments}: {done.returncode} {done.stdout[-500:]} {done.stderr[-500:]}"
        return done.stdout

    def exported(self):
        """Returns Taskwarrior's tasks by id. It does not escape control characters."""
        return by_id(json.loads(self.run("export"), strict=False))


def by_id(tasks):
    """Removes the attributes that Taskwarrior computes each time."""
    return {task["uuid"]: {key: task[key] for key in task if key not in ("id", "urgency")} for task in tasks}


@check("taskwarrior: `task import` takes the export, and `task export` has every attribute as Daybook wrote it")
def exports(lab):
    for store in lab.stores:
        written = {task["uuid"]: task for task in json.loads(store.export("taskwarrior"))}
        same(len(written), len(store.tasks()))
        taskwarrior = Taskwarrior(lab)
        taskwarrior.run("import", "-", stdin=store.export("taskwarrior"))
        same(taskwarrior.exported(), written)


@check("taskwarrior: its attributes say what json says: text, states, dates, project")
def meaning(lab):
    wanted = {task["id"]: task for task in lab.full.tasks()}
    for task in json.loads(lab.full.export("taskwarrior")):
        ours = wanted[task["uuid"]]
        same(task["description"], ours["text"])
        same(task.get("project"), ours.get("category"))
        is_archived = "archivedAt" in ours and ours["state"] != "completed"
        same(task["status"],
             "completed" if ours["state"] == "completed" else "deleted" if is_archived else "pending")
        same("start" in task, ours["state"] == "active")
        same(task.get("end"), seconds(ours["completedAt"] or ours.get("archivedAt")))
        if ours["createdAt"] >= "1980":
            same(task["entry"], seconds(ours["createdAt"]))
        same(task["modified"], seconds(ours["updatedAt"]))
        same(task.get("due"), seconds(ours.get("dueAt")))


def seconds(instant):
    """Returns `20260210T091500Z` for an instant of json."""
    return instant and instant.split(".")[0].rstrip("Z").replace("-", "").replace(":", "") + "Z"


@check("taskwarrior: tasks survive an import and an export by it, except for fractions of seconds and the order")
def there_and_back(lab):
    taskwarrior = Taskwarrior(lab)
    taskwarrior.run("import", "-", stdin=lab.full.export("taskwarrior"))
    content = taskwarrior.run("export")
    copy = lab.store(json.dumps(json.loads(content, strict=False)).encode(), "--format", "taskwarrior")
    same(comparable(copy), comparable(lab.full))


def comparable(store):
    """Returns the tasks by id, without what the format cannot express."""
    found = {}
    for task in store.tasks():
        for key in ["sortOrder", "listOrder", "planOrder"]:
            task.pop(key, None)
        task.get("extra", {}).pop("taskwarrior", None)
        if task.get("extra") == {}:
            task.pop("extra")
        for key in INSTANTS:
            if key in task and key != "reminderDate" and task["createdAt"] >= "1980":
                task[key] = seconds(task[key])
        found[task["id"]] = task
    return found


@check("taskwarrior: what it says itself (tags, annotations, priority, wait, depends, recur) is given back to it")
def its_own(lab):
    first = Taskwarrior(lab)
    for line in [
        ["add", "water", "+garden", "priority:H", "project:home.garden", "due:now+10d", "wait:now+9d"],
        ["add", "each week", "due:now+10d", "recur:weekly", "until:now+300d"],
        ["add", "36 hours", "due:now+10d", "recur:PT36H"],
        ["add", "after", "depends:1", "scheduled:now+8d"], ["1", "annotate", "use the can, \"the\" blue one"],
        ["add", "to start"], ["5", "start"], ["add", "to finish"], ["6", "done"], ["add", "to drop"], ["7", "delete"],
        ["rc.recurrence=on", "rc.recurrence.limit=2", "list"],
    ]:
        first.run(*line)
    # This report creates the tasks of recurring templates.
    assert len(first.exported()) > 8
    written = first.run("export")
    exported = lab.store(written, "--format", "taskwarrior").export("taskwarrior")
    same(by_id(json.loads(exported)), by_id(json.loads(written)))
    second = Taskwarrior(lab)
    second.run("import", "-", stdin=exported)
    same(without_modified(second), without_modified(first))


def without_modified(taskwarrior):
    """An import changes some tasks, such as the template of a recurring task."""
    return {uuid: task | {"modified": None} for uuid, task in taskwarrior.exported().items()}
