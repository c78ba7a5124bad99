"""The files of a replicated database: those that `Scripts/hub --cluster` runs, and those that `--configure` writes for machines."""
import dataclasses

# The lease of a leader that does not renew it ends after so many seconds. 3.0.2 does not check the lower bound of later
# versions; loop_wait + 2 * retry_timeout must not be more.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 6, 1, 2


@dataclasses.dataclass
class Place:
    """A machine, and where the servers on it are."""
    name: str
    host: str
    client: int = 2379
    peer: int = 2380
    postgres: int = 5432
    rest: int = 8008
    etcd_data: str = "/var/lib/etcd/daybook"
    data: str = "/var/lib/postgresql/15/main"
    # For the socket and the passwords of replication.
    own: str = "/var/run/postgresql"
    bin_dir: str = "/usr/lib/postgresql/15/bin"


def etcd_environment(place, places):
    """What Debian has in /etc/default/etcd."""
    client, peer = f"http://{place.host}:{place.client}", f"http://{place.host}:{place.peer}"
    return {
        "ETCD_NAME": place.name, "ETCD_DATA_DIR": place.etcd_data,
        "ETCD_LISTEN_CLIENT_URLS": client, "ETCD_ADVERTISE_CLIENT_URLS": client,
        "ETCD_LISTEN_PEER_URLS": peer, "ETCD_INITIAL_ADVERTISE_PEER_URLS": peer,
        "ETCD_INITIAL_CLUSTER": ",".join(f"{p.name}=http://{p.host}:{p.peer}" for p in places),
        "ETCD_INITIAL_CLUSTER_TOKEN": "daybook", "ETCD_INITIAL_CLUSTER_STATE": "new",
        "ETCD_HEARTBEAT_INTERVAL": "100", "ETCD_ELECTION_TIMEOUT": "1000",
        # Patroni 3.0.2 (Debian 12) is not safe on version 3 of etcd's interface: a primary that was stopped for longer than its
        # lease overwrites the key of the next one, and what it keeps of etcd stays stale after a write that failed. Both are
        # repaired in 3.1.
        "ETCD_ENABLE_V2": "true",
        "ETCD_UNSUPPORTED_ARCH": "arm64",
    }


def patroni(place, places, password, is_synchronous=True):
    """Patroni's configuration: no commit is acknowledged before a second server has it."""
    hosts = ", ".join(f'"{p.host}:{p.client}"' for p in places)
    access = "".join(
        f'    - "host {what} all {source} scram-sha-256"\n'
        for source in [f"{host}/32" for host in sorted({p.host for p in places})] + ["samenet"]
        for what in ("all", "replication"))
    return f"""scope: daybook
name: {place.name}
restapi: {{listen: "{place.host}:{place.rest}", connect_address: "{place.host}:{place.rest}"}}
etcd: {{hosts: [{hosts}]}}
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
        # A standby that the new primary turns away at first tries again so soon, and not after 5 s.
        wal_retrieve_retry_interval: 200ms
        synchronous_commit: "{'on' if is_synchronous else 'local'}"
  initdb: [{{encoding: UTF8}}, {{locale: C}}, {{auth-local: peer}}, {{auth-host: scram-sha-256}}, data-checksums]
  pg_hba:
{access}postgresql:
  listen: "{place.host}:{place.postgres}"
  connect_address: "{place.host}:{place.postgres}"
  data_dir: {place.data}
  bin_dir: {place.bin_dir}
  pgpass: {place.own}/pgpass
  # A copy of the primary begins at once, and not after the minutes of a checkpoint that takes its time.
  basebackup: [{{checkpoint: fast}}]
  authentication:
    replication: {{username: replicator, password: {password}}}
    superuser: {{username: postgres, password: {password}}}
    rewind: {{username: rewinder, password: {password}}}
  parameters: {{unix_socket_directories: "{place.own}", password_encryption: scram-sha-256}}
"""


def haproxy(places, listen, admin, owner=""):
    """HAProxy's configuration: connections go to the server that Patroni calls the primary, and end when it no longer is."""
    servers = "".join(f"    server {p.name} {p.host}:{p.postgres} check port {p.rest}\n" for p in places)
    return f"""global
{owner}    maxconn 4000
    stats socket {admin} mode 600 level admin
defaults
    mode tcp
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    timeout check 1s
    retries 1
listen primary
    bind {listen}
    option httpchk GET /primary
    http-check expect status 200
    default-server inter 200ms fall 3 rise 1 on-marked-down shutdown-sessions
{servers}"""


def database(password):
    """Statements that create the hubs' role and their database, once, as the superuser."""
    return [f"CREATE ROLE hub LOGIN PASSWORD '{password}'", "CREATE DATABASE daybook OWNER hub"]
