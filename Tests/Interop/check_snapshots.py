"""Snapshots, read by snapshot_format.py and by libraries that others wrote: hashlib, zstandard, xxhash, cryptography."""

import json

import xxhash
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

import records
from check_json import ndjson
from checks import check, same
from daybook import Refused, Store, run
from snapshot_format import MASK, Snapshot


def snapshot(lab, store, *options):
    """Creates a snapshot and returns its bytes."""
    file = lab.place("store.snapshot")
    store.run("snapshot", "create", file, *options)
    return file


def restored(lab, file, *options):
    folder = lab.place("restored")
    run("snapshot", "restore", file, "--to", folder, *options)
    return Store(folder)


def decrypted(content, passphrase):
    """Returns the bytes of an encrypted snapshot without the encryption, according to Format.md."""
    header, head, rest = content[:64], content[64:88], content[88:]
    method, cost, block_size, parallelism = head[:4]
    size = int.from_bytes(head[4:8], "little")
    assert method == 1 and header[10] & 2
    key = Scrypt(salt=head[8:], length=32, n=1 << cost, r=block_size, p=parallelism).derive(passphrase)
    cipher, body = AESGCM(key), b""
    chunks = [rest[place:place + size + 16] for place in range(0, len(rest), size + 16)]
    for number, chunk in enumerate(chunks):
        nonce = bytes(3) + number.to_bytes(8, "big") + bytes([number == len(chunks) - 1])
        body += cipher.decrypt(nonce, chunk, header + head)
    return header + body


@check("snapshot: the restored store is the same in every format, and its snapshot holds the same records")
def restore(lab):
    for store in lab.stores:
        for options in [[], ["--level", 1], ["--level", 19]]:
            file = snapshot(lab, store, *options)
            run("snapshot", "verify", file)
            copy = restored(lab, file)
            copy.run("verify")
            for form in ["json", "ndjson", "ics"]:
                same(copy.export(form), store.export(form))
            again = Snapshot(snapshot(lab, copy).read_bytes())
            same(again.records, Snapshot(file.read_bytes()).records)


@check("snapshot: counts and digests in the manifest are those of the records, by xxhash")
def digests(lab):
    large = lab.store()
    large.run("generate", "--tasks", 3_000, "--seed", 5)
    for store in [*lab.stores, large]:
        read = Snapshot(snapshot(lab, store).read_bytes())
        for collection in read.manifest["collections"]:
            found = [(key, value) for name, key, value in read.records if name == collection["name"]]
            same(len(found), collection["count"])
            same(f"{digest(collection['name'], found):016x}", collection["digest"])


def digest(name, found):
    seed = xxhash.xxh64_intdigest(name.encode())
    total = 0
    for key, value in found:
        keyed = xxhash.xxh64_intdigest(key, seed)
        total += xxhash.xxh64_intdigest(value, keyed) if value else keyed
    return total & MASK


@check("snapshot: every field of every task and tombstone, decoded by Format.md, is what the exports say")
def fields(lab):
    for store in lab.stores:
        read = Snapshot(snapshot(lab, store).read_bytes())
        tasks = {key: records.record(value, records.TASK) for name, key, value in read.records if name == "tasks"}
        same(len(tasks), len(store.tasks()))
        last = {}
        for task in store.tasks():
            found = tasks[bytes.fromhex(task["id"].replace("-", ""))]
            if "extra" in found:
                found["extra"] = json.loads(found["extra"])
            check_position(task, found.pop("position"), last)
            apart = ("id", "sortOrder", "blockedBy", "listName")
            wanted = {key: value for key, value in task.items() if key not in apart and value is not None}
            same({"state": "notStarted"} | found, wanted, task["id"])
        gone = [{"collection": name, "id": records._uuid(key), **records.record(value, records.TOMBSTONE)}
                for name, key, value in read.records if name == "tombstones"]
        same(gone, [row for row in ndjson(store)[1:] if row["collection"] == "tombstones"])


def check_position(task, position, last):
    """Within a day, positions ascend as `sortOrder` does, which has no gaps."""
    if "archivedAt" in task:
        return
    day = last.setdefault(task["scheduledDate"], {})
    assert task["sortOrder"] not in day
    day[task["sortOrder"]] = position
    if sorted(day) == list(range(len(day))):
        same([day[order] for order in sorted(day)], sorted(day.values()))


@check("snapshot: an incremental one holds what changed and what is gone, and is restored with its base")
def incremental(lab):
    store = lab.store(lab.full.export("ndjson"))
    base = snapshot(lab, store)
    first, second = [task["id"] for task in store.tasks()][:2]
    store.run("done", first)
    store.run("delete", second)
    added = json.loads(store.run("add", "New, after the base", "--json"))["id"]
    file = snapshot(lab, store, "--since", base)
    read, whole = Snapshot(file.read_bytes()), Snapshot(base.read_bytes())
    same(read.flags, 1)
    same(read.base, whole.id)
    same(read.manifest["base"], {
        "id": whole.id.hex(), "sequence": whole.manifest["sequence"], "instant": whole.instant, "file": base.name,
        "collections": whole.manifest["collections"]})
    changed = {(name, str(records._uuid(key))): value for name, key, value in read.records}
    same(set(changed), {("tasks", first), ("tasks", second), ("tasks", added), ("tombstones", second)})
    same([key for key, value in changed.items() if value is None], [("tasks", second)])
    now = {(name, key): value for name, key, value in whole.records + read.records}
    plain = Snapshot(snapshot(lab, store).read_bytes())
    same({key: value for key, value in now.items() if value is not None},
         {(name, key): value for name, key, value in plain.records})
    same(restored(lab, file).export("ndjson"), store.export("ndjson"))


@check("snapshot: an encrypted one opens with scrypt and AES-GCM of Python's cryptography, as Format.md says")
def encryption(lab):
    passphrase = lab.place("passphrase")
    passphrase.write_bytes("  Schlüssel 鍵 \n".encode())
    large = lab.store()
    large.run("generate", "--tasks", 5_000, "--seed", 5)
    for store in [*lab.stores, large]:
        file = snapshot(lab, store, "--encrypt", "--passphrase-file", passphrase)
        plain = decrypted(file.read_bytes(), "  Schlüssel 鍵 ".encode())
        same(Snapshot(plain).flags, 2)
        same(Snapshot(plain).records, Snapshot(snapshot(lab, store).read_bytes()).records)
        copy = restored(lab, file, "--passphrase-file", passphrase)
        same(copy.export("ndjson"), store.export("ndjson"))


@check("snapshot: one changed byte anywhere is found by verify")
def damage(lab):
    file = snapshot(lab, lab.full)
    content = file.read_bytes()
    for place in range(0, len(content), len(content) // 40):
        broken = lab.place("broken.snapshot")
        broken.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1:])
        try:
            run("snapshot", "verify", broken)
            raise AssertionError(f"byte {place} was changed, and verify says that all is right")
        except Refused:
            pass
