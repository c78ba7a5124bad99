#!/usr/bin/python3
"""Tests that a hub loses nothing when its database loses its primary: `Scripts/hub --cluster`.

Starts, in a temporary folder on loopback, three etcd members, three PostgreSQL servers under Patroni with synchronous replication,
HAProxy, which asks Patroni who leads, and two hubs. Devices push while servers are killed, stopped, and switched over. In the end
every acknowledged unit must be there, on every server. Documentation/Hub.md, "A database that loses its primary".
"""
import argparse
import glob
import json
import os
import random
import re
import secrets
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# The lease of a leader that does not renew it ends after so many seconds. 3.0.2 does not check the lower bound of later
# versions; loop_wait + 2 * retry_timeout must not be more.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 8, 2, 3
UNPLANNED_LIMIT, PLANNED_LIMIT = 15.0, 2.0
PLANNED = {"switchover"}


def note(text):
    print(text, flush=True)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


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


class Server:
    """A program that is started again after each end that was meant."""

    def __init__(self, name, command, folder, environment=None):
        self.name, self.command, self.folder = name, command, folder
        self.environment = environment
        self.process = None

    def start(self):
        log = open(f"{self.folder}/{self.name}.log", "ab")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
            env={**os.environ, **(self.environment or {})})
        log.close()

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
        with open(f"{self.folder}/{self.name}.log", errors="replace") as file:
            return "".join(file.readlines()[-12:])


class Node(Server):
    """A PostgreSQL server under Patroni."""

    def __init__(self, cluster, name, port, rest_port):
        self.port, self.rest_port = port, rest_port
        self.data = f"{cluster.folder}/{name}/data"
        super().__init__(name, cluster.as_postgres(["patroni", f"{cluster.folder}/{name}.yml"]), cluster.folder)

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

    def signal_all(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        self.signal(number)

    def kill(self):
        # Patroni first: it would start the server again.
        super().kill()
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


class Cluster:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="daybook-cluster-")
        os.chmod(self.folder, 0o755)
        self.password = secrets.token_hex(16)
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        ports = free_ports(16)
        self.etcd_ports = list(zip(ports[0:3], ports[3:6]))
        self.primary_port, self.hubs_port, self.admin = ports[12], ports[13], f"{self.folder}/haproxy.sock"
        self.hub_ports = ports[14:16]
        self.nodes = [Node(self, f"node{i + 1}", ports[6 + i], ports[9 + i]) for i in range(3)]
        self.etcd = [self.etcd_member(i) for i in range(3)]
        self.haproxy = Server("haproxy", ["haproxy", "-f", f"{self.folder}/haproxy.cfg", "-db"], self.folder)
        self.hubs = []
        self.extra = []

    def as_postgres(self, command):
        if os.getuid() != 0:
            return command
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]

    # MARK: The servers

    def etcd_member(self, index):
        client, peer = self.etcd_ports[index]
        members = ",".join(f"etcd{i + 1}=http://127.0.0.1:{p}" for i, (_, p) in enumerate(self.etcd_ports))
        command = [
            "etcd", "--name", f"etcd{index + 1}", "--data-dir", f"{self.folder}/etcd{index + 1}.data",
            "--listen-client-urls", f"http://127.0.0.1:{client}", "--advertise-client-urls", f"http://127.0.0.1:{client}",
            "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
            "--initial-cluster", members, "--initial-cluster-token", "daybook", "--initial-cluster-state", "new",
            "--heartbeat-interval", "100", "--election-timeout", "1000",
        ]
        return Server(f"etcd{index + 1}", command, self.folder, {"ETCD_UNSUPPORTED_ARCH": "arm64"})

    def configure(self):
        hosts = ", ".join(f"127.0.0.1:{client}" for client, _ in self.etcd_ports)
        is_synchronous = not self.options.asynchronous
        for node in self.nodes:
            os.mkdir(f"{self.folder}/{node.name}", 0o700)
            if os.getuid() == 0:
                shutil.chown(f"{self.folder}/{node.name}", "postgres", "postgres")
            with open(f"{self.folder}/{node.name}.yml", "w") as file:
                file.write(f"""
scope: daybook
name: {node.name}
restapi: {{listen: "127.0.0.1:{node.rest_port}", connect_address: "127.0.0.1:{node.rest_port}"}}
etcd3: {{hosts: [{hosts}]}}
bootstrap:
  dcs:
    ttl: {TTL}
    loop_wait: {LOOP_WAIT}
    retry_timeout: {RETRY_TIMEOUT}
    master_start_timeout: 0
    synchronous_mode: {str(is_synchronous).lower()}
    synchronous_mode_strict: {str(is_synchronous).lower()}
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 60
        wal_keep_size: 256MB
        wal_log_hints: "on"
        hot_standby: "on"
        synchronous_commit: "{'on' if is_synchronous else 'local'}"
  initdb: [{{encoding: UTF8}}, {{locale: C}}, data-checksums]
  pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication all 127.0.0.1/32 scram-sha-256"]
postgresql:
  listen: "127.0.0.1:{node.port}"
  connect_address: "127.0.0.1:{node.port}"
  data_dir: {node.data}
  bin_dir: {self.binaries}
  pgpass: {self.folder}/{node.name}/pgpass
  authentication:
    replication: {{username: replicator, password: {self.password}}}
    superuser: {{username: postgres, password: {self.password}}}
    rewind: {{username: rewinder, password: {self.password}}}
  parameters: {{unix_socket_directories: "{self.folder}/{node.name}", password_encryption: scram-sha-256}}
""")
            os.chmod(f"{self.folder}/{node.name}.yml", 0o644)
        nodes = "\n".join(
            f"    server {n.name} 127.0.0.1:{n.port} check port {n.rest_port}" for n in self.nodes)
        hubs = "\n".join(f"    server hub{i + 1} 127.0.0.1:{port} check" for i, port in enumerate(self.hub_ports))
        with open(f"{self.folder}/haproxy.cfg", "w") as file:
            file.write(f"""
global
    maxconn 4000
    stats socket {self.admin} mode 600 level admin
defaults
    mode tcp
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 1s
    retries 1
listen primary
    bind 127.0.0.1:{self.primary_port}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{nodes}
listen hubs
    bind 127.0.0.1:{self.hubs_port}
    option httpchk GET /health
    option redispatch
    default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
{hubs}
""")

    def database(self, port=None, host=None):
        place = host or f"127.0.0.1:{port}"
        return f"postgresql://postgres:{self.password}@{place}/postgres"

    def start(self):
        self.configure()
        for each in self.etcd:
            each.start()
        wait_until("etcd", 30, lambda: self.etcd_answers())
        for node in self.nodes:
            node.start()
        wait_until("the first primary", 90, lambda: self.leader() is not None)
        wait_until("replication", 90, self.is_whole)
        self.haproxy.start()
        if self.options.direct:
            hosts = ",".join(f"127.0.0.1:{n.port}" for n in self.nodes)
            uri = self.database(host=hosts) + "?target_session_attrs=read-write&connect_timeout=3"
        else:
            uri = self.database(self.primary_port) + "?connect_timeout=3"
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
        return all(self.answers(f"http://127.0.0.1:{client}/health") for client, _ in self.etcd_ports)

    def members(self):
        for node in self.nodes:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{node.rest_port}/cluster", timeout=2) as answer:
                    return {member["name"]: member for member in json.load(answer)["members"]}
            except (urllib.error.URLError, OSError, ValueError, KeyError):
                continue
        return {}

    def with_role(self, *roles):
        for name, member in self.members().items():
            if member.get("role") in roles and member.get("state") in ("running", "streaming"):
                return next(node for node in self.nodes if node.name == name)
        return None

    def leader(self):
        """The node that calls itself the primary: what Patroni lists may be the one of before."""
        for node in self.nodes:
            if self.answers(f"http://127.0.0.1:{node.rest_port}/primary"):
                return node
        return None

    def is_whole(self):
        members = self.members()
        running = [m for m in members.values() if m.get("state") in ("running", "streaming")]
        has_standby = self.options.asynchronous or self.with_role("sync_standby") is not None
        return self.leader() is not None and len(running) == 3 and has_standby and self.lags() == 0

    def lags(self):
        return sum(1 for m in self.members().values() if m.get("lag") not in (None, 0) and isinstance(m.get("lag"), str))

    def sql(self, node, statement):
        result = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", self.database(node.port), "-c", statement], capture_output=True, text=True,
            timeout=120)
        if result.returncode != 0:
            raise RuntimeError(f"{node.name}: {result.stderr.strip()}")
        return result.stdout.strip()

    def haproxy_command(self, command):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.admin)
            connection.sendall(f"{command}\n".encode())
            return connection.recv(65536).decode()

    # MARK: Faults

    def kill_primary(self):
        """One second after its connections to the standbys are suspended: it must not acknowledge what it commits meanwhile."""
        node = self.leader()
        for process in node.processes():
            try:
                with open(f"/proc/{process}/cmdline") as file:
                    if "walsender" in file.read():
                        os.kill(process, signal.SIGSTOP)
            except OSError:
                pass
        yield 1
        node.kill()
        yield 10
        node.start()

    def stop_primary(self):
        """For longer than its lease: when it continues, another one leads, and it must not accept a write."""
        node = self.leader()
        node.signal_all(signal.SIGSTOP)
        yield TTL + 6
        node.signal_all(signal.SIGCONT)

    def kill_standby(self):
        node = self.with_role("sync_standby") or next(n for n in self.nodes if n is not self.leader())
        node.kill()
        yield 6
        node.start()

    def kill_etcd(self):
        member = self.random.choice(self.etcd)
        member.kill()
        yield 6
        member.start()

    def switchover(self):
        leader, standby = self.leader(), self.with_role("sync_standby")
        if standby is None:
            standby = next(n for n in self.nodes if n is not leader)
        request = urllib.request.Request(
            f"http://127.0.0.1:{leader.rest_port}/switchover", method="POST",
            data=json.dumps({"leader": leader.name, "candidate": standby.name}).encode(),
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.read()
        yield 0

    def kill_hub(self):
        hub = self.random.choice(self.hubs)
        hub.kill()
        yield 1
        hub.start()

    def cut_connections(self):
        """All connections to the database, as a firewall that forgets them."""
        for node in self.nodes:
            self.haproxy_command(f"shutdown sessions server primary/{node.name}")
        yield 0

    FAULTS = {
        "the primary is killed": kill_primary, "the primary is stopped": stop_primary,
        "the synchronous standby is killed": kill_standby, "an etcd member is killed": kill_etcd,
        "switchover": switchover, "a hub is killed": kill_hub, "connections are cut": cut_connections,
    }

    # MARK: The run

    def run(self):
        options = self.options
        self.random = random.Random(options.seed)
        load = Server("load", [
            f"{options.bin}/hub-load", self.hub, "--verify", "--spaces", str(options.spaces), "--devices", "1", "--units", "2",
            "--watchers", "32", "--seconds", str(options.seconds)], self.folder)
        probe = Server("probe", [f"{options.bin}/hub-load", "probe", self.hub, "--seconds", str(options.seconds)], self.folder)
        self.extra = [load, probe]
        load.start()
        probe.start()
        began = time.monotonic()
        # A hub lets strangers register a few devices a second; then the load has begun.
        time.sleep(min(30, options.seconds / 4))
        events, kinds = [], []
        while time.monotonic() - began < options.seconds - 20 and load.process.poll() is None:
            if not kinds:
                # The negative control needs the one that asynchronous replication does not survive.
                kinds = ["the primary is killed"] if options.asynchronous else list(self.FAULTS)
                self.random.shuffle(kinds)
            kind = kinds.pop()
            events.append((kind, time.time()))
            note(f"{time.monotonic() - began:5.0f} s  {kind}")
            for pause in self.FAULTS[kind](self):
                time.sleep(pause)
            wait_until(f"recovery after: {kind}", 120, lambda: self.is_whole() or load.process.poll() is not None)
            time.sleep(3)
        events.append(("end", time.time()))
        code = load.process.wait(timeout=options.seconds + 240)
        if code != 0:
            probe.kill()
        probe.process.wait(timeout=60)
        return self.judge(code, load, events)

    def judge(self, code, load, events):
        with open(f"{self.folder}/load.log", errors="replace") as file:
            lines = file.read().strip().splitlines()
        note("\n".join(lines[-3:]))
        failures = []
        if self.options.asynchronous:
            # The negative control. A hub answers 409 if its space has fewer units than a device has seen, 404 if it has no space.
            signs = ["acknowledged units are missing", "answered with 409", "answered with 404"]
            lost = any(sign in line for sign in signs for line in lines)
            return [] if lost else ["asynchronous replication was not caught losing acknowledged units"]
        if code != 0:
            failures.append(f"the load ended with {code}")
        self.note_outages(events)
        wait_until("replication in the end", 120, self.is_whole)
        digests = {}
        statement = "SELECT count(*), md5(string_agg(md5(u::text), '' ORDER BY space, rec, unit)) FROM units u"
        wait_until("equal contents of all servers", 60, lambda: len(
            set(digests.update({n.name: self.sql(n, statement)}) or digests[n.name] for n in self.nodes)) == 1)
        note(f"all three servers hold the same units: {digests['node1'].split('|')[0]}")
        twice = self.sql(self.leader(), "SELECT count(*) FROM (SELECT 1 FROM units GROUP BY space, rec, unit HAVING count(*) > 1) d")
        if twice != "0":
            failures.append(f"{twice} units are there twice")
        return failures

    def note_outages(self, events):
        """Prints how long no push was acknowledged, as rows of a table."""
        with open(f"{self.folder}/probe.log", errors="replace") as file:
            successes = [int(line) / 1000 for line in file if line.strip().isdigit()]
        outages = {}
        for (kind, start), (_, end) in zip(events, events[1:]):
            inside = [t for t in successes if start - 1 <= t <= end]
            gaps = [b - a for a, b in zip(inside, inside[1:])]
            outages.setdefault(kind, []).append(max(gaps) if gaps else end - start)
        way = "libpq" if self.options.direct else "HAProxy"
        note("\n| what | target | measured | |\n| --- | --- | --- | --- |")
        for kind, seconds in sorted(outages.items()):
            aim = PLANNED_LIMIT if kind in PLANNED else UNPLANNED_LIMIT
            verdict = "met" if max(seconds) <= aim else "**missed**"
            note(f"| without service, longest of {len(seconds)}, by {way}: {kind} | {aim:.0f} s "
                 f"| {max(seconds):.1f} s (p50 {statistics.median(seconds):.1f} s) | {verdict} |")
        note("")


def main():
    parser = argparse.ArgumentParser(prog="Scripts/hub --cluster")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--spaces", type=int, default=64)
    parser.add_argument("--asynchronous", action="store_true", help="the negative control: acknowledged units are lost")
    parser.add_argument("--direct", action="store_true", help="hubs find the primary by libpq, without HAProxy")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    note(f"seed {options.seed}, {options.seconds} s, {options.spaces} spaces, "
         f"{'asynchronous' if options.asynchronous else 'synchronous'} replication, "
         f"{'libpq finds the primary' if options.direct else 'HAProxy finds the primary'}")
    cluster = Cluster(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    failures = []
    try:
        cluster.start()
        failures = cluster.run()
    except (TimeoutError, RuntimeError, subprocess.SubprocessError, OSError) as error:
        failures = [str(error)]
        print(f"Patroni reports: {json.dumps(cluster.members())}", file=sys.stderr)
        for node in cluster.nodes:
            print(f"--- {node.name}:\n{node.log_end()}", file=sys.stderr)
        for server in cluster.etcd + cluster.nodes + cluster.hubs + [cluster.haproxy] + cluster.extra:
            if server.process and server.process.poll() is not None:
                print(f"--- {server.name} ended with {server.process.poll()}:\n{server.log_end()}", file=sys.stderr)
    finally:
        cluster.stop()
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    if not failures:
        note("OK: the loss was found" if options.asynchronous else "OK: nothing that was acknowledged is missing")
    sys.exit(1 if failures else 0)


main()
