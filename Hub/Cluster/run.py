#!/usr/bin/python3 -B
"""Tests that a hub loses nothing when its database loses its primary: `Scripts/hub --cluster`.

Devices push and watch while the servers of a cluster are killed, stopped, isolated and switched over. In the end every
acknowledged unit must be there once, on every server. Documentation/Hub.md, "A database that loses its primary".
"""
import argparse
import json
import random
import signal
import statistics
import subprocess
import sys
import time

from cluster import Cluster
from faults import PLANNED, faults_of
from machines import enter_network
from processes import Server, note, wait_until

UNPLANNED_LIMIT, PLANNED_LIMIT = 15.0, 2.0


class Event:
    """A fault, from its beginning until the cluster was whole again, and a few seconds later."""
    CALM = 4

    def __init__(self, kind):
        self.kind, self.start = kind, time.time()
        self.whole = None


class Run:
    def __init__(self, cluster, options):
        self.cluster, self.options = cluster, options
        cluster.random = random.Random(options.seed)
        self.load = Server("load", [
            f"{options.bin}/hub-load", cluster.hub, "--verify", "--timeline", "--spaces", str(options.spaces), "--devices", "2",
            "--units", "2", "--watchers", "32", "--seconds", str(options.seconds)], cluster.folder)
        self.probe = Server(
            "probe", [f"{options.bin}/hub-load", "probe", cluster.hub, "--seconds", str(options.seconds)], cluster.folder)
        cluster.extra = [self.load, self.probe]
        self.events = []

    def lines(self, server):
        with open(f"{self.cluster.folder}/{server.name}.log", errors="replace") as file:
            return file.read().strip().splitlines()

    def has_ended(self):
        return self.load.process.poll() is not None

    def carry_out(self):
        """Returns what failed."""
        self.load.start()
        self.probe.start()
        began = time.monotonic()
        # A hub lets strangers register a few devices a second; then the load has begun.
        time.sleep(min(40, self.options.seconds / 4))
        faults, kinds = faults_of(self.options), []
        while time.monotonic() - began < self.options.seconds - 20 and not self.has_ended():
            if not kinds:
                kinds = list(faults)
                self.cluster.random.shuffle(kinds)
            event = Event(kinds.pop())
            self.events.append(event)
            note(f"{time.monotonic() - began:5.0f} s  {event.kind}")
            for pause in faults[event.kind](self.cluster):
                time.sleep(pause)
            self.wait_for_recovery(event)
            event.whole = time.time()
            time.sleep(Event.CALM)
        code = self.load.process.wait(timeout=self.options.seconds + 240)
        if code != 0:
            self.probe.kill()
        self.probe.process.wait(timeout=60)
        return self.judge(code)

    def wait_for_recovery(self, event):
        """Does after a minute what a person would: a former primary can wait for ever for a log that no other server has."""
        def is_over():
            return self.cluster.is_whole() or self.has_ended()

        try:
            wait_until(f"recovery after: {event.kind}", 60, is_over)
        except TimeoutError:
            for name in self.cluster.reinitialize_stuck():
                note(f"       {name} did not start by itself, and was initialized again")
            wait_until(f"recovery after: {event.kind}", 120, is_over)

    def judge(self, code):
        lines = [line for line in self.lines(self.load) if not line.startswith("second ")]
        note("\n".join(lines[-4:]))
        if self.options.asynchronous:
            # The negative control. A hub answers 409 if its space has fewer units than a device has seen, 404 if it has no space.
            signs = ["acknowledged units are missing", "answered with 409", "answered with 404"]
            lost = any(sign in line for sign in signs for line in lines)
            return [] if lost else ["asynchronous replication was not caught losing acknowledged units"]
        failures = [f"the load ended with {code}"] if code != 0 else []
        self.note_outages()
        wait_until("replication in the end", 120, self.cluster.is_whole)
        self.expect_equal_servers()
        return failures + self.renumbered()

    def expect_equal_servers(self):
        statement = "SELECT count(*), md5(string_agg(md5(u::text), '' ORDER BY space, rec, unit)) FROM units u"

        def contents():
            return {self.cluster.sql(node, statement) for node in self.cluster.nodes}

        wait_until("equal contents of all servers", 60, lambda: len(contents()) == 1)
        note(f"all three servers hold the same units: {contents().pop().split('|')[0]}")

    def renumbered(self):
        """Each unit is pushed once, so that a space whose units have other numbers than 1 to their count has taken one for new."""
        leader = self.cluster.leader()
        condition = """(SELECT count(*) FROM spaces s WHERE head <> (SELECT count(*) FROM units u WHERE u.space = s.space)
            OR head <> (SELECT max(seq) FROM units u WHERE u.space = s.space))"""
        count = self.cluster.sql(leader, f"SELECT {condition}")
        # The negative control: a hub that carries out a commit of unknown outcome again as a new one leaves this.
        again = self.cluster.sql(leader, f"""
            BEGIN;
            WITH one AS (SELECT space, head FROM spaces WHERE head > 0 LIMIT 1)
            UPDATE units u SET seq = one.head + 1 FROM one WHERE u.space = one.space AND u.seq = one.head;
            UPDATE spaces s SET head = (SELECT max(seq) FROM units u WHERE u.space = s.space) WHERE head > 0;
            SELECT {condition};
            ROLLBACK""")
        failures = [] if count == "0" else [f"units of {count} spaces were taken twice"]
        if again != "1":
            failures.append("a unit that was taken twice was not caught")
        if not failures:
            note("no unit was taken twice, and one that is was caught")
        return failures

    def note_outages(self):
        """Prints how long no push was acknowledged, and how many were before, meanwhile and afterwards, as rows of a table."""
        successes = [int(line) / 1000 for line in self.lines(self.probe) if line.isdigit()]
        seconds = [(int(time) / 1000, int(count)) for line in self.lines(self.load) if line.startswith("second ")
                   for _, time, count in [line.split()]]

        def rate(start, end):
            counts = [count for time, count in seconds if start < time <= end]
            return statistics.mean(counts) if counts else 0

        def whole(numbers):
            return f"{statistics.mean(numbers):.0f}"

        way = "libpq" if self.options.direct else "HAProxy"
        note("\n| what | target | measured | |\n| --- | --- | --- | --- |")
        for kind in sorted({event.kind for event in self.events}):
            outages, before, meanwhile, after = [], [], [], []
            for event in (e for e in self.events if e.kind == kind and e.whole):
                end = event.whole + Event.CALM
                # Up to the end: a hub that still hangs when all servers run is without service as well.
                moments = [t for t in successes if event.start - 1 <= t < end] + [end]
                outages.append(max(b - a for a, b in zip([event.start] + moments, moments)))
                before.append(rate(event.start - Event.CALM, event.start))
                meanwhile.append(rate(event.start, event.whole))
                after.append(rate(event.whole, end))
            if not outages:
                continue
            aim = PLANNED_LIMIT if kind in PLANNED else UNPLANNED_LIMIT
            verdict = "met" if max(outages) <= aim else "**missed**"
            note(f"| no service, by {way}, longest of {len(outages)}: {kind} | {aim:.0f} s "
                 f"| {max(outages):.1f} s, p50 {statistics.median(outages):.1f} s; "
                 f"{whole(before)}, {whole(meanwhile)}, {whole(after)} pushes/s | {verdict} |")
        note("")


def report(cluster):
    """What Patroni and the programs that have ended print at a failure."""
    print(f"Patroni reports: {json.dumps(cluster.members())}", file=sys.stderr)
    for server in cluster.etcd + cluster.nodes + cluster.hubs + [cluster.haproxy] + cluster.extra:
        code = server.process.poll() if server.process else None
        if code is not None or server in cluster.nodes:
            print(f"--- {server.name}{'' if code is None else f' ended with {code}'}:\n{server.log_end()}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/hub --cluster")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--spaces", type=int, default=64)
    parser.add_argument("--asynchronous", action="store_true", help="the negative control: acknowledged units are lost")
    parser.add_argument("--direct", action="store_true", help="hubs find the primary by libpq, without HAProxy")
    parser.add_argument("--loopback", action="store_true", help="no network namespaces")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all logs")
    parser.add_argument("--bin", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--in-network", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.in_network = not options.loopback and enter_network()
    note(f"seed {options.seed}, {options.seconds} s, {options.spaces} spaces of two devices, "
         f"{'asynchronous' if options.asynchronous else 'synchronous'} replication, "
         f"{'libpq finds the primary' if options.direct else 'HAProxy finds the primary'}, "
         f"{'each machine in a network namespace' if options.in_network else 'all on loopback'}")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))
    cluster = Cluster(options)
    run = None
    try:
        cluster.start()
        run = Run(cluster, options)
        failures = run.carry_out()
    except (TimeoutError, RuntimeError, subprocess.SubprocessError, OSError) as error:
        failures = [str(error)]
        report(cluster)
        if run:
            run.note_outages()
    finally:
        cluster.stop()
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    if not failures:
        note("OK: the loss was found" if options.asynchronous else "OK: nothing that was acknowledged is missing")
    sys.exit(1 if failures else 0)


main()
