"""Programs that are started, stopped, killed and started again."""
import os
import signal
import subprocess
import time


def note(text):
    print(text, flush=True)


def wait_until(what, seconds, condition):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.2)
    raise TimeoutError(f"{what} took more than {seconds} seconds")


def alive(process):
    try:
        os.kill(process, 0)
        return True
    except OSError:
        return False


def signal_each(processes, number):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


class Server:
    """A program that is started again after each end that was meant."""

    def __init__(self, name, command, folder, environment=None):
        self.name, self.command, self.folder = name, command, folder
        self.environment = environment
        self.process = None

    def start(self):
        with open(f"{self.folder}/{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
                env={**os.environ, **(self.environment or {})})

    def signal(self, number):
        if self.process and self.process.poll() is None:
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        self.signal(signal.SIGKILL)
        if self.process:
            self.process.wait()

    def log_end(self):
        if not os.path.exists(f"{self.folder}/{self.name}.log"):
            return ""
        with open(f"{self.folder}/{self.name}.log", errors="replace") as file:
            return "".join(file.readlines()[-12:])


class Node(Server):
    """A PostgreSQL server under Patroni."""

    def __init__(self, place, machine, folder):
        self.machine, self.host, self.port, self.rest_port = machine, place.host, place.postgres, place.rest
        self.data = place.data
        super().__init__(place.name, machine.inside(as_postgres(["patroni", f"{folder}/{place.name}.yml"])), folder)

    def postmaster(self):
        try:
            with open(f"{self.data}/postmaster.pid") as file:
                process = int(file.readline())
            return process if alive(process) else None
        except (OSError, ValueError):
            return None

    def processes(self):
        """The postmaster and its children."""
        first = self.postmaster()
        if not first:
            return []
        children = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()
        return [first] + [int(each) for each in children]

    def wal_senders(self):
        found = []
        for process in self.processes():
            try:
                with open(f"/proc/{process}/cmdline") as file:
                    if "walsender" in file.read():
                        found.append(process)
            except OSError:
                pass
        return found

    def signal_all(self, number):
        signal_each(self.processes(), number)
        self.signal(number)

    def kill(self):
        # Patroni first: it would start the server again.
        super().kill()
        signal_each(self.processes(), signal.SIGKILL)


def as_postgres(command):
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]
