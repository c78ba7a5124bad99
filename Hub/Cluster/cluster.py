"""Three etcd members, three PostgreSQL servers under Patroni, HAProxy and two hubs, in a temporary folder."""
import glob
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.request

from configuration import Place, database, etcd_environment, haproxy, patroni
from machines import Loopback, Machine
from processes import Node, Server, note, wait_until

def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="daybook-cluster-")
        os.chmod(self.folder, 0o755)
        self.password, self.hub_password = secrets.token_hex(16), secrets.token_hex(16)
        ports = free_ports(16)
        self.machines = [Machine(i) if options.in_network else Loopback() for i in range(3)]
        bin_dir = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.places = [
            Place(f"node{i + 1}", self.machines[i].host, *ports[4 * i:4 * i + 4], f"{self.folder}/etcd{i + 1}",
                  f"{self.folder}/node{i + 1}/data", f"{self.folder}/node{i + 1}", bin_dir) for i in range(3)]
        self.primary_port, self.hubs_port, self.admin = ports[12], ports[13], f"{self.folder}/haproxy.sock"
        self.hub_ports = ports[14:16]
        self.nodes = [Node(place, machine, self.folder) for place, machine in zip(self.places, self.machines)]
        self.etcd = [
            Server(f"etcd{i + 1}", self.machines[i].inside(["etcd"]), self.folder, etcd_environment(place, self.places))
            for i, place in enumerate(self.places)]
        self.haproxy = Server("haproxy", ["haproxy", "-f", f"{self.folder}/haproxy.cfg", "-db"], self.folder)
        self.hubs = []
        self.extra = []

    # MARK: The servers

    def configure(self):
        for place in self.places:
            os.mkdir(place.own, 0o700)
            if os.getuid() == 0:
                shutil.chown(place.own, "postgres", "postgres")
            with open(f"{self.folder}/{place.name}.yml", "w") as file:
                file.write(patroni(place, self.places, self.password, not self.options.asynchronous))
        hubs = "".join(f"    server hub{i + 1} 127.0.0.1:{port} check\n" for i, port in enumerate(self.hub_ports))
        with open(f"{self.folder}/haproxy.cfg", "w") as file:
            file.write(haproxy(self.places, f"127.0.0.1:{self.primary_port}", self.admin) + f"""listen hubs
    bind 127.0.0.1:{self.hubs_port}
    option httpchk GET /health
    option redispatch
    default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
{hubs}""")

    def uri(self, place):
        return f"postgresql://hub:{self.hub_password}@{place}/daybook"

    def start(self):
        self.configure()
        for machine in self.machines:
            machine.start()
        for each in self.etcd:
            each.start()
        wait_until("etcd", 30, lambda: self.etcd_answers())
        for node in self.nodes:
            node.start()
        wait_until("the first primary", 90, lambda: self.leader() is not None)
        wait_until("replication", 90, self.is_whole)
        for statement in database(self.hub_password):
            self.sql(self.leader(), statement, f"postgresql://postgres:{self.password}@{{}}/postgres")
        self.haproxy.start()
        if self.options.direct:
            hosts = ",".join(f"{n.host}:{n.port}" for n in self.nodes)
            uri = self.uri(hosts) + "?target_session_attrs=read-write&connect_timeout=3"
        else:
            uri = self.uri(f"127.0.0.1:{self.primary_port}") + "?connect_timeout=3"
        environment = {"DAYBOOK_HUB_DATABASE": uri}
        wait_until("the way to the primary", 30, lambda: self.migrate(environment))
        for index, port in enumerate(self.hub_ports):
            hub = Server(
                f"hub{index + 1}",
                [f"{self.options.bin}/daybook-hub", "serve", "--listen", f"127.0.0.1:{port}", "--rate", "1000000"],
                self.folder, environment)
            hub.start()
            self.hubs.append(hub)
        self.hub = f"http://127.0.0.1:{self.hubs_port}"
        wait_until("the hubs", 30, lambda: self.answers(f"{self.hub}/health"))

    def migrate(self, environment):
        result = subprocess.run(
            [f"{self.options.bin}/daybook-hub", "migrate"], env={**os.environ, **environment}, capture_output=True)
        return result.returncode == 0

    def stop(self):
        for each in self.extra + self.hubs + [self.haproxy] + self.nodes:
            each.signal(signal.SIGCONT)
            if isinstance(each, Node):
                each.signal_all(signal.SIGCONT)
            each.kill()
        for each in self.etcd:
            each.kill()
        for machine in self.machines:
            machine.stop()
        if self.options.keep:
            note(f"Logs: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    # MARK: What Patroni reports

    def answers(self, address):
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def etcd_answers(self):
        return all(self.answers(f"http://{p.host}:{p.client}/health") for p in self.places)

    def members(self):
        for node in self.nodes:
            try:
                with urllib.request.urlopen(f"http://{node.host}:{node.rest_port}/cluster", timeout=2) as answer:
                    return {member["name"]: member for member in json.load(answer)["members"]}
            except (urllib.error.URLError, OSError, ValueError, KeyError):
                continue
        return {}

    def with_role(self, *roles):
        for name, member in self.members().items():
            if member.get("role") in roles and member.get("state") in ("running", "streaming"):
                return next(node for node in self.nodes if node.name == name)
        return None

    def current_leader(self):
        """The leader, as soon as there is one."""
        found = []
        wait_until("a leader", 60, lambda: found.append(self.leader()) or found[-1] is not None)
        return found[-1]

    def other_than(self, node):
        return next(each for each in self.nodes if each is not node)

    def ask(self, node, what, body):
        """Lets a node's Patroni carry something out."""
        request = urllib.request.Request(
            f"http://{node.host}:{node.rest_port}/{what}", method="POST", data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()

    def leader(self):
        """The node that calls itself the primary: what Patroni lists may be the one of before."""
        for node in self.nodes:
            if self.answers(f"http://{node.host}:{node.rest_port}/primary"):
                return node
        return None

    def is_whole(self):
        members = self.members()
        running = [m for m in members.values() if m.get("state") in ("running", "streaming")]
        has_standby = self.options.asynchronous or self.with_role("sync_standby") is not None
        return self.leader() is not None and len(running) == 3 and has_standby and self.lags() == 0

    def reinitialize_stuck(self):
        """Lets the servers that are not running copy the primary, as `patronictl reinit` does. Returns their names."""
        stuck = [n for n, m in self.members().items() if m.get("state") not in ("running", "streaming")]
        for node in (each for each in self.nodes if each.name in stuck):
            self.ask(node, "reinitialize", {"force": True})
        return stuck

    def lags(self):
        return sum(1 for m in self.members().values() if m.get("lag") not in (None, 0) and isinstance(m.get("lag"), str))

    def sql(self, node, statement, uri=None):
        place = f"{node.host}:{node.port}"
        result = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", uri.format(place) if uri else self.uri(place), "-c", statement],
            capture_output=True, text=True, timeout=120)
        if result.returncode != 0:
            raise RuntimeError(f"{node.name}: {result.stderr.strip()}")
        return result.stdout.strip()

    def haproxy_command(self, command):
        """Throws what HAProxy answers to a command that it does not carry out."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.admin)
            connection.sendall(f"{command}\n".encode())
            answer = connection.recv(65536).decode().strip()
        if answer:
            raise RuntimeError(f"HAProxy does not carry out {command}: {answer}")
