"""Counts the bytes that TaskChampion sends to its server for edits of one field each, in one sync.

The edits are those of `hub-load wire`: text, category, due day, completion, each of 100 tasks. Prints two numbers: bytes for an edit as
Taskwarrior makes it (class Task), and for one property alone (class TaskData), which leaves out the time of change.
"""

import datetime
import http.server
import multiprocessing
import sys
import uuid

import taskchampion
from taskchampion import Operations, Replica, Status

BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 100


# In a process of its own: a sync holds the interpreter's lock until the server has answered.
received = multiprocessing.Value("l", 0)


class Server(http.server.BaseHTTPRequestHandler):
    """As much of TaskChampion's sync server as one replica needs."""

    protocol_version = "HTTP/1.1"
    latest = str(uuid.UUID(int=0))

    def answer(self, status, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        self.answer(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "/add-version/" in self.path:
            received.value += len(body)
            Server.latest = str(uuid.uuid4())
        self.answer(200, [("X-Version-Id", Server.latest)])

    def log_message(self, *arguments):
        pass


def measure(url, edits):
    """The bytes of one sync with some edits of each task."""
    replica = Replica.new_in_memory()
    client, ids = str(uuid.uuid4()), [str(uuid.uuid4()) for _ in range(BATCH)]

    def sync():
        before = received.value
        replica.sync_to_remote(url, client, "secret", True)
        return received.value - before

    operations = Operations()
    for number, identifier in enumerate(ids):
        task = replica.create_task(identifier, operations)
        task.set_description(f"Task {number}", operations)
        task.set_status(Status.Pending, operations)
    replica.commit_operations(operations)
    sync()
    total = 0
    for edit in edits:
        operations = Operations()
        for number, identifier in enumerate(ids):
            edit(replica, identifier, number, operations)
        replica.commit_operations(operations)
        total += sync()
    return total / (len(edits) * BATCH)


DUE = datetime.datetime(2026, 5, 27, tzinfo=datetime.timezone.utc)
TASK = [
    lambda replica, id, number, ops: replica.get_task(id).set_description(f"Buy seeds {number}", ops),
    lambda replica, id, number, ops: replica.get_task(id).set_value("project", "garden", ops),
    lambda replica, id, number, ops: replica.get_task(id).set_due(DUE, ops),
    lambda replica, id, number, ops: replica.get_task(id).done(ops),
]
DATA = [
    lambda replica, id, number, ops: replica.get_task_data(id).update("description", f"Buy seeds {number}", ops),
    lambda replica, id, number, ops: replica.get_task_data(id).update("project", "garden", ops),
    lambda replica, id, number, ops: replica.get_task_data(id).update("due", str(int(DUE.timestamp())), ops),
    lambda replica, id, number, ops: replica.get_task_data(id).update("status", "completed", ops),
]

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
process = multiprocessing.Process(target=server.serve_forever, daemon=True)
process.start()
url = f"http://127.0.0.1:{server.server_port}"
try:
    print(round(measure(url, TASK), 1), round(measure(url, DATA), 1))
finally:
    process.terminate()
