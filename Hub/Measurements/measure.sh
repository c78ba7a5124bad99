# Sourced by Scripts/hub --measure: measures a hub and the devices of a space, and writes Hub/RESULTS.md from what was measured so
# far. Names of parts can follow: latency, creates, devices, wire, load, flood, watchers, cluster, field, lab. Without any, all are measured;
# what is not stays on the page.

measurements=Hub/.build/measurements
mkdir -p "$measurements"
sync_program="$bin/daybook-sync"
load_program="$bin/hub-load"
# 5,000 watchers are as many open files in each program.
ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"

# The rows of MeasuredRow: WHAT MEASURED [TARGET VERDICT]
row() { echo "| $1 | ${3:--} | $2 | ${4:--} |"; }

# A row with a limit that a number may not exceed: WHAT NUMBER LIMIT UNIT [MORE]
limited() {
    local verdict=met
    awk "BEGIN { exit !($2 <= $3) }" || verdict='**missed**'
    row "$1" "$2 $4${5:-}" "$3 $4" "$verdict"
}

database() {
    [ -n "${DAYBOOK_HUB_DATABASE:-}" ] && return
    DAYBOOK_POSTGRES_CONNECTIONS=100
    DAYBOOK_HUB_DATABASE=$(Scripts/postgres start "$folder/postgres")
    export DAYBOOK_HUB_DATABASE DAYBOOK_POSTGRES_CONNECTIONS
    "$bin/daybook-hub" migrate >&2
}

new_port() { port=$((20000 + RANDOM % 12000)); }

# Makes the stores NAME-a and NAME-b of one space; the second one reaches the hub at another port.
pair() {
    "$sync_program" create "http://127.0.0.1:$port" --store "$folder/$1-a" >/dev/null
    local uri
    uri=$("$sync_program" invite --store "$folder/$1-a")
    "$sync_program" join "${uri/$port/$2}" --store "$folder/$1-b" >/dev/null
}

watch() { "$sync_program" watch --store "$1" 2>>"$folder/log" & watching+=($!); }

end_watches() {
    for process in "${watching[@]}"; do kill "$process" 2>/dev/null || true; wait "$process" 2>/dev/null || true; done
    watching=()
}

latency() {
    database
    local storage first
    for storage in database store; do
        new_port
        if [ "$storage" = store ]; then serve --store "$folder/latency-hub"; else serve; fi
        pair "latency-$storage" "$port"
        watch "$folder/latency-$storage-a"
        watch "$folder/latency-$storage-b"
        sleep 2
        "$load_program" latency --from "$folder/latency-$storage-a" --to "$folder/latency-$storage-b" --changes 200 \
            --over "one hub on $([ "$storage" = store ] && echo 'a store' || echo PostgreSQL)"
        end_watches
        stop_hub
    done
    new_port
    serve
    local first_port=$port
    first=$hub
    new_port
    serve
    port=$first_port pair latency-two "$port"
    watch "$folder/latency-two-a"
    watch "$folder/latency-two-b"
    sleep 2
    "$load_program" latency --from "$folder/latency-two-a" --to "$folder/latency-two-b" --changes 100 \
        --over "two hubs on one PostgreSQL"
    end_watches
    stop_hub
    hub=$first
    stop_hub
}

creates() {
    new_port
    serve --store "$folder/creates-hub"
    pair creates "$port"
    "$load_program" fill --store "$folder/creates-plain" --tasks 1
    local arguments=(--store "$folder/creates-a" --plain "$folder/creates-plain")
    "$load_program" creates "${arguments[@]}" --median --limit 1.1 --during "with sync on"
    watch "$folder/creates-a"
    sleep 1
    "$load_program" creates "${arguments[@]}" --count 1500 --pause 10 --during "while each is sent"
    end_watches
    # 20,000 tasks of another device come in while these are created.
    "$load_program" fill --store "$folder/creates-b" --tasks 20000
    "$sync_program" now --store "$folder/creates-b" >/dev/null
    watch "$folder/creates-a"
    "$load_program" creates "${arguments[@]}" --count 1500 --during "while 20,000 tasks come in"
    end_watches
    stop_hub
}

devices() {
    local tasks time resident anonymous uri
    new_port
    serve --store "$folder/devices-hub"
    for tasks in 10000 100000; do
        "$load_program" fill --store "$folder/devices-$tasks-a" --tasks "$tasks"
        read -r time resident anonymous < <(python3 Hub/Measurements/timed.py \
            "$sync_program" create "http://127.0.0.1:$port" --store "$folder/devices-$tasks-a" | tail -1)
        row "the first device of a space sends $tasks tasks" "$time s"
        uri=$("$sync_program" invite --store "$folder/devices-$tasks-a")
        read -r time resident anonymous < <(python3 Hub/Measurements/timed.py \
            "$sync_program" join "$uri" --store "$folder/devices-$tasks-b" | tail -1)
        limited "a new device gets $tasks tasks" "$time" $((tasks == 10000 ? 3 : 30)) s
        limited "the same: memory, without pages of the store's file" "$anonymous" 100 MB ", $resident MB with them"
        read -r time resident anonymous < <(python3 Hub/Measurements/timed.py \
            "$sync_program" now --store "$folder/devices-$tasks-b" | tail -1)
        row "\`daybook-sync now\` with $tasks tasks and nothing to do" "$time s"
        if [ "$tasks" = 10000 ]; then
            "$load_program" edit --store "$folder/devices-$tasks-a" --tasks 10000
            "$sync_program" now --store "$folder/devices-$tasks-a" >/dev/null
            read -r time resident anonymous < <(python3 Hub/Measurements/timed.py \
                "$sync_program" now --store "$folder/devices-$tasks-b" | tail -1)
            limited "10,000 units are pulled and applied" "$time" 5 s
        fi
    done
    stop_hub
}

wire() {
    local python peer=
    # A wheel for this version of Python may be missing.
    for python in python3 python3.9 "$HOME"/.pyenv/versions/3.9*/bin/python3; do
        command -v "$python" >/dev/null || continue
        rm -rf "$folder/python"
        "$python" -m venv "$folder/python" && "$folder/python/bin/pip" install -q --disable-pip-version-check \
            --only-binary :all: taskchampion-py >/dev/null 2>&1 || continue
        peer=$("$folder/python/bin/python" -B Hub/Measurements/count_taskchampion.py)
        break
    done
    # shellcheck disable=SC2086
    set -- $peer
    "$load_program" wire --store "$folder/wire" ${1:+--taskchampion "$1"}
    if [ -n "$peer" ]; then
        row "bytes that TaskChampion sends for one property without its time of change" "$2"
    else
        row "TaskChampion" "not measured: pip has no taskchampion-py for this machine"
    fi
}

load() {
    database
    local storage
    for storage in PostgreSQL store; do
        new_port
        if [ "$storage" = store ]; then serve --store "$folder/load-hub"; else serve; fi
        for arguments in "--spaces 64 --push-limit 1500" "--spaces 16 --units 512 --unit-limit 20000" \
            "--spaces 1 --devices 8 --push-limit 300"; do
            # shellcheck disable=SC2086
            "$load_program" load "http://127.0.0.1:$port" --seconds 10 $arguments | sed "s/^| /| $storage: /"
        done
        stop_hub
    done
    capacity
}

# What a push writes: the numbers behind "capacity planning" in Hub.md.
query() { psql -qAtX "$DAYBOOK_HUB_DATABASE" -c "$1"; }

capacity() {
    command -v psql >/dev/null || return 0
    local units spaces before_wal before_rows rows pushes wal
    for units in 1 512; do
        spaces=$((units == 1 ? 64 : 16))
        new_port
        serve
        query "checkpoint" || true
        before_wal=$(query "select pg_current_wal_lsn()")
        before_rows=$(query "select count(*) from units")
        "$load_program" load "http://127.0.0.1:$port" --seconds 5 --spaces "$spaces" --units "$units" >/dev/null
        rows=$(($(query "select count(*) from units") - before_rows))
        pushes=$((rows / units))
        wal=$(query "select pg_wal_lsn_diff(pg_current_wal_lsn(), '$before_wal')::int8")
        row "WAL of PostgreSQL for a push of $units unit$([ "$units" = 1 ] || echo s)" \
            "$((wal / pushes)) bytes, $((wal / rows)) a unit (with the full pages after a checkpoint)"
        stop_hub
    done
    row "table and indexes of PostgreSQL, a unit with a body of 96 bytes" \
        "$(query "select pg_total_relation_size('units') / count(*) from units") bytes"
}

flood() {
    database
    local storage
    for storage in PostgreSQL store; do
        new_port
        if [ "$storage" = store ]; then serve --store "$folder/flood-hub"; else serve; fi
        "$load_program" flood "http://127.0.0.1:$port" | sed "s/^| /| $storage: /"
        stop_hub
    done
}

watchers() {
    database
    new_port
    serve
    "$load_program" load "http://127.0.0.1:$port" --spaces 0 --watchers 5000 --seconds 30 --pid "$hub"
    stop_hub
}

lab() {
    swift build -c "$configuration" -q --product daybook-lab
    "$(swift build -c "$configuration" --show-bin-path)/daybook-lab" \
        bench --requirements --only sync --markdown "$folder/lab" >/dev/null
    sed -n 's/^| sync: /| /p' "$folder/lab"
}

# Kills, stops and switches over the servers of a replicated database, ten minutes each way.
cluster() {
    local way
    for way in "" --direct; do
        # shellcheck disable=SC2086
        Hub/Cluster/run.py --bin "$bin" --seed 1 $way | tee -a /dev/stderr | grep '^| no service'
    done
}

heading_of() {
    case $1 in
        latency) echo "From one device to another" ;;
        creates) echo "Durable creates" ;;
        devices) echo "New devices and large changes" ;;
        wire) echo "Bytes" ;;
        load) echo "Hubs under load" ;;
        flood) echo "Strangers who flood the hub" ;;
        watchers) echo "Idle devices" ;;
        cluster) echo "A database that loses its primary" ;;
        field) echo "Devices on bad networks" ;;
        lab) echo "Without the network (\`daybook bench --requirements\`)" ;;
    esac
}

# Prints the section of a part: as it was measured now, else as the page has it.
section_of() {
    if [ -e "$measurements/$1" ]; then
        cat "$measurements/$1"
    else
        awk -v heading="## $(heading_of "$1")" '/^## / { is_in = $0 == heading; next } is_in' Hub/RESULTS.md | sed '1d;$d'
    fi
}

write_results() {
    local part page=$folder/results
    {
        echo "# Results of the hub"
        echo
        echo "Written by \`Scripts/hub --measure\`. [Hub.md](../Documentation/Hub.md#capacity-planning) says why targets are missed, and what"
        echo "follows for larger hubs. Programs and databases are on one machine, and so is what loads them. PostgreSQL"
        echo "$(pg_config --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)?' | head -1 || true) has its defaults; builds are release builds."
        for part in latency creates devices wire load flood watchers cluster field lab; do
            section_of "$part" >"$folder/section"
            [ -s "$folder/section" ] || continue
            echo
            echo "## $(heading_of "$part")"
            echo
            cat "$folder/section"
        done
        echo
        echo "## Correctness under faults"
        echo
        echo "Not measured here: \`Scripts/hub --test\` runs the suite of the storages on a store and on PostgreSQL at three isolation levels,"
        echo "with injected 40001 and 40003, and prints each; \`Scripts/hub --crash\` kills hub and PostgreSQL under load and prints how many"
        echo "acknowledged units it has verified."
    } >"$page"
    cat "$page" >Hub/RESULTS.md
}

watching=()
[ $# -gt 0 ] || set -- latency creates devices wire load flood watchers cluster field lab
for part in "$@"; do
    [ "$part" != cluster ] || install_cluster
    {
        measured
        echo
        echo "| what | target | measured | |"
        echo "| --- | --- | --- | --- |"
        "$part"
    } >"$measurements/$part.new"
    mv "$measurements/$part.new" "$measurements/$part"
    cat "$measurements/$part"
done
write_results
