"""What happens to a cluster: each yields how long it lasts before it is undone, in seconds."""
import signal

from configuration import TTL
from processes import signal_each


def kill(server, seconds):
    server.kill()
    yield seconds
    server.start()


def kill_primary(cluster):
    """One second after its connections to the standbys are suspended: it must not acknowledge what it commits meanwhile."""
    node = cluster.current_leader()
    signal_each(node.wal_senders(), signal.SIGSTOP)
    yield 1
    yield from kill(node, 10)


def stop_primary(cluster):
    """For longer than its lease: when it continues, another one leads, and it must not accept a write."""
    node = cluster.current_leader()
    node.signal_all(signal.SIGSTOP)
    yield TTL + 6
    node.signal_all(signal.SIGCONT)


def isolate_primary(cluster):
    """The cable of its machine is pulled, with one of etcd's members on it: connections hang, and none is reset."""
    machine = cluster.current_leader().machine
    machine.connect(False)
    yield TTL + 6
    machine.connect(True)


def kill_standby(cluster):
    yield from kill(cluster.with_role("sync_standby") or cluster.other_than(cluster.current_leader()), 6)


def kill_etcd(cluster):
    yield from kill(cluster.random.choice(cluster.etcd), 6)


def switchover(cluster):
    leader = cluster.current_leader()
    standby = cluster.with_role("sync_standby") or cluster.other_than(leader)
    cluster.ask(leader, "switchover", {"leader": leader.name, "candidate": standby.name})
    yield 0


def kill_hub(cluster):
    yield from kill(cluster.random.choice(cluster.hubs), 1)


def cut_connections(cluster):
    """All connections to the database, as a proxy that starts again."""
    for node in cluster.nodes:
        cluster.haproxy_command(f"shutdown sessions server primary/{node.name}")
    yield 0


PLANNED = {"switchover": switchover}
UNPLANNED = {
    "the primary is killed": kill_primary, "the primary is stopped": stop_primary,
    "the standby is killed": kill_standby, "an etcd member is killed": kill_etcd, "a hub is killed": kill_hub,
}
# Where the machines have a network of their own.
OF_THE_NETWORK = {"the primary is cut off": isolate_primary}
# Where HAProxy leads the hubs to the primary.
OF_HAPROXY = {"connections are cut": cut_connections}


def faults_of(options):
    """The kinds of faults of a run, by name."""
    if options.asynchronous:
        # The negative control needs the one that asynchronous replication does not survive.
        return {"the primary is killed": kill_primary}
    network = OF_THE_NETWORK if options.in_network else {}
    proxy = {} if options.direct else OF_HAPROXY
    return {**UNPLANNED, **PLANNED, **network, **proxy}
