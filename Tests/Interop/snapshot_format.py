"""Reads a snapshot according to Documentation/Format.md; it shares no code with Daybook's reader.

Records come out as (collection's name, key, value), where a value of None says that the record is gone.
"""

import hashlib
import json
import struct
import uuid

import xxhash
import zstandard

MASK = (1 << 64) - 1
MAGIC = bytes.fromhex("89444253 0d0a1a0a")
DAY = 86_400_000_000


def signed(number):
    return number - (1 << 64) if number >> 63 else number


class Cursor:
    """Bytes that are consumed from the front."""

    def __init__(self, content):
        self.content = content
        self.place = 0

    def take(self, count):
        taken = self.content[self.place:self.place + count]
        assert len(taken) == count, "the bytes end too early"
        self.place += count
        return taken

    def integer(self, count):
        return int.from_bytes(self.take(count), "little")

    def short_integer(self):
        number = shift = 0
        while True:
            byte = self.integer(1)
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                assert byte or shift == 7, "a short integer is longer than it has to be"
                return number

    def stream(self, count):
        """Returns a stream of the given length."""
        length = self.short_integer()
        assert length == count, f"a stream of {length} bytes, not {count}"
        if not length:
            return b""
        if self.integer(1) == 0:
            return self.take(length)
        frame = self.take(self.integer(4))
        parameters = zstandard.get_frame_parameters(frame)
        assert parameters.has_checksum and parameters.content_size == length
        return zstandard.ZstdDecompressor().decompress(frame)

    @property
    def is_at_end(self):
        return self.place == len(self.content)


def numbers(cursor, count):
    """Returns the given number of unsigned 64-bit integers."""
    way = cursor.integer(1)
    if way in (0, 1):
        offset = cursor.short_integer() if way == 0 else 0
        factor = cursor.short_integer()
        width = cursor.integer(1)
        streams = [cursor.stream(count) for _ in range(width)]
        result = []
        for index in range(count):
            q = int.from_bytes(bytes(stream[index] for stream in streams), "little")
            if way == 1:
                q = q // 2 if q % 2 == 0 else -(q + 1) // 2
            result.append((offset + factor * q) & MASK)
        return result
    if way == 2:
        modulus = cursor.short_integer()
        a, b = numbers(cursor, count), numbers(cursor, count)
        return [(x * modulus + y) & MASK for x, y in zip(a, b)]
    assert way == 3, f"numbers of kind {way}"
    bits = cursor.stream((count + 7) // 8)
    is_set = [bits[index // 8] >> index % 8 & 1 for index in range(count)]
    others = iter(numbers(cursor, sum(is_set)))
    return [next(others) if bit else 0 for bit in is_set]


def prefixed(cursor, count):
    """Returns the given number of byte strings, each encoded by its common prefix with the previous one."""
    shared, lengths = numbers(cursor, count), numbers(cursor, count)
    rest = Cursor(cursor.stream(sum(lengths)))
    result, last = [], b""
    for common, length in zip(shared, lengths):
        last = last[:common] + rest.take(length)
        result.append(last)
    return result


def keys(cursor, count):
    """The keys, and for those of kind 1 the times in them."""
    if cursor.integer(1) == 0:
        return prefixed(cursor, count), None
    distances, kinds = numbers(cursor, count), numbers(cursor, count)
    words, highs, pairs = cursor.stream(8 * count), cursor.stream(count), cursor.stream((count + 3) // 4)
    result, times, time = [], [], 0
    for index in range(count):
        time = (time + distances[index]) & MASK
        version, variant = kinds[index] % 16, kinds[index] // 16
        word = int.from_bytes(words[8 * index:8 * index + 8], "little")
        a = highs[index] << 4 | (pairs[index // 4] >> index % 4 * 2 & 3) << 2 | word & 3
        number = time << 80 | version << 76 | a << 64 | variant << 62 | word >> 2
        result.append(number.to_bytes(16, "big"))
        times.append(time)
    return result, times


def number_column(cursor, rows, columns, times):
    """Returns the column's numbers by row; `columns` are those before it."""
    prediction = cursor.integer(1)
    other = columns[cursor.short_integer()] if prediction in (3, 4, 5) else {}
    result, before, groups = {}, 0, {}
    for row, distance in zip(rows, numbers(cursor, len(rows))):
        if prediction == 0:
            expected = 0
        elif prediction == 2:
            expected = times[row] * 1_000
        elif prediction == 5:
            expected = groups.get(other.get(row), 0)
        elif prediction == 1 or row not in other:
            expected = before
        else:
            expected = other[row] if prediction == 3 else signed(other[row]) // DAY
        before = result[row] = (expected + distance) & MASK
        groups[other.get(row)] = before
    return result


def texts(cursor, count):
    """Returns the given number of byte strings."""
    way = cursor.integer(1)
    if way == 0:
        lengths = numbers(cursor, count)
        content = Cursor(cursor.stream(sum(lengths)))
        return [content.take(length) for length in lengths]
    if way == 1:
        entries = prefixed(cursor, cursor.short_integer())
        assert entries == sorted(set(entries)), "entries do not ascend"
        return [entries[index] for index in numbers(cursor, count)]
    assert way == 2, f"texts of kind {way}"
    feeds = numbers(cursor, count)
    lines = iter(texts(cursor, count + sum(feeds)))
    return [b"\n".join(next(lines) for _ in range(feed + 1)) for feed in feeds]


def field_bytes(number, form, content):
    """A field of a record, as in the section Records."""
    head = bytes([number, form])
    if form <= 3:
        return head + content.to_bytes(8, "little")[:{1: 1, 2: 4, 3: 8}[form]]
    if form == 4:
        assert len(content) == 16
        return head + content
    return head + len(content).to_bytes(1 if form == 5 else 4, "little") + content


def block(content, count):
    """Returns the records of a block: keys and values."""
    cursor = Cursor(content)
    total = cursor.integer(8)
    shapes = []
    for _ in range(cursor.short_integer()):
        shapes.append([(cursor.integer(1), cursor.integer(1)) for _ in range(cursor.integer(1))])
    shape_of = numbers(cursor, count)
    row_keys, times = keys(cursor, count)
    columns = {}
    for number, form in (field for shape in shapes for field in shape):
        column = (number, min(form, 5))
        if column in columns:
            continue
        rows = [row for row in range(count) if shape_of[row] > 1 and any(
            (number, column[1]) == (n, min(f, 5)) for n, f in shapes[shape_of[row] - 2])]
        if form <= 3:
            columns[column] = number_column(cursor, rows, list(columns.values()), times)
        else:
            columns[column] = dict(zip(rows, texts(cursor, len(rows))))
    raw_rows = [row for row in range(count) if shape_of[row] == 0]
    raw = dict(zip(raw_rows, texts(cursor, len(raw_rows)))) if raw_rows else {}
    assert cursor.is_at_end, "something follows the last column"
    values = []
    for row in range(count):
        if shape_of[row] < 2:
            values.append(raw.get(row))
        else:
            fields = [field_bytes(n, f, columns[n, min(f, 5)][row]) for n, f in shapes[shape_of[row] - 2]]
            values.append(b"\x01" + b"".join(fields))
    assert sum(len(key) for key in row_keys) + sum(len(value or b"") for value in values) == total
    return list(zip(row_keys, values))


class Snapshot:
    """A completely read and verified snapshot."""

    def __init__(self, content):
        """Reads the bytes of the file, decrypted if it was encrypted."""
        magic, version, self.flags, zero, self.instant, self.id, self.base, self.mark = struct.unpack(
            "<8sHHIq16s16s8s", content[:64])
        assert (magic, zero) == (MAGIC, 0) and version in (1, 2)
        assert self.flags < 4 and bool(self.flags & 1) == (self.base != bytes(16))
        cursor = Cursor(content)
        cursor.take(64)
        self.version, self.records, self.names, offsets = version, [], [], []
        while True:
            offset = cursor.place
            kind, collection, count, length, front, checksum = self._take_head(cursor)
            body = cursor.take(length)
            if kind == 255:
                assert (collection, count) == (0, 0)
                break
            offsets.append(offset)
            if kind == 1:
                assert len(offsets) == 1 and (collection, count) == (0, 0)
                self._take_manifest(body)
            else:
                assert kind == 2 and 1 <= count <= 65_536
                self.records += [(self.names[collection], *record) for record in block(body, count)]
            if version == 2:
                name = self.names[collection] if kind == 2 else ""
                assert checksum == self._checksum(name, front, body), "the checksum of a section is wrong"
        assert cursor.is_at_end, "something follows the footer"
        if version == 1:
            self._check_footer(content, body, offsets)
        else:
            assert checksum == int.from_bytes(self.id[:8], "little") and len(body) == 32
            assert body == hashlib.sha256(content[:-32]).digest(), "the SHA-256 is wrong"
        order = [(name.encode(), key) for name, key, _ in self.records]
        assert order == sorted(set(order)), "the records are not in order"

    def _take_head(self, cursor):
        if self.version == 1:
            kind, zero, collection, count, length = struct.unpack("<BBHIQ", cursor.take(16))
            assert zero == 0
            return kind, collection, count, length, None, 0
        head = cursor.take(20)
        assert cursor.integer(4) == xxhash.xxh64_intdigest(head, xxhash.xxh64_intdigest(b"")) & 0xFFFFFFFF
        kind, version, collection, count, length, checksum = struct.unpack("<BBHIIQ", head)
        assert version == 2
        return kind, collection, count, length, head[:12], checksum

    def _checksum(self, name, front, body):
        seed = xxhash.xxh64_intdigest(name.encode())
        return xxhash.xxh64_intdigest(body, xxhash.xxh64_intdigest(self.id[:8] + front, seed))

    def _take_manifest(self, body):
        assert hashlib.sha256(body).digest()[:16] == self.id, "the id is not that of the manifest"
        self.manifest = json.loads(body)
        assert json.dumps(self.manifest, separators=(",", ":"), ensure_ascii=False).encode() == body
        assert self.manifest["instant"] == self.instant
        base = self.manifest.get("base", {"id": bytes(16).hex(), "collections": []})
        assert bytes.fromhex(base["id"]) == self.base
        store = self.manifest.get("store")
        mark = hashlib.sha256(uuid.UUID(store).bytes).digest()[:8] if store else bytes(8)
        assert self.mark == mark, "the store's mark is not that of its id"
        assert 0 <= self.manifest["schema"] < 1 << 32
        collections = self.manifest["collections"] + base["collections"]
        self.names = sorted({entry["name"] for entry in collections}, key=str.encode)

    def _check_footer(self, content, body, offsets):
        footer = Cursor(body)
        same = [footer.integer(8) for _ in range(footer.integer(4))] == offsets
        assert same, "the footer's offsets are wrong"
        total = sum(len(key) + len(value or b"") for _, key, value in self.records)
        assert footer.integer(8) == total, "the footer's sum is wrong"
        assert footer.take(32) == hashlib.sha256(content[:-32]).digest(), "the SHA-256 is wrong"
        assert footer.is_at_end
