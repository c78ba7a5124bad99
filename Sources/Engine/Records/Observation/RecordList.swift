import KeyValue

/// The records that a live range shows, in their order: a collection that is cheap to keep and to copy.
///
/// Lists of one live range share what they have in common. A change of one record of a hundred thousand copies some hundred
/// references, so that an application can keep each state that it has shown. Cost of an access by index: a search among the
/// chunks, some hundred records each.
public struct RecordList<R: Record>: RandomAccessCollection, Sendable {
    /// A record, its entry in the index, and its hash. A reference, so that to copy a chunk copies no records.
    final class Entry: Sendable {
        let key: KeyBytes
        let hash: UInt64
        let record: R

        init(key: KeyBytes, hash: UInt64, record: R) {
            self.key = key
            self.hash = hash
            self.record = record
        }

        /// The bytes of the record's id, at the end of its entry.
        var id: KeyBytes { KeyBytes(copying: key.bytes.extracting(last: R.ID.width)) }
    }

    /// What the list shows: a list of another range has to be compared record by record.
    struct Origin: Equatable {
        let table: String
        let lower: KeyBytes?
        let upper: KeyBytes?
        let isBackwards: Bool
        let limit: Int?
    }

    private static var limit: Int { 128 }
    let origin: Origin
    private var chunks: [[Entry]] = []
    /// The position of the first entry of each chunk.
    private var starts: [Int] = []
    /// How many records the list has.
    public private(set) var count = 0

    init(origin: Origin) {
        self.origin = origin
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { count }
    /// The record at a position.
    public subscript(position: Int) -> R { entry(at: position).record }

    func entry(at position: Int) -> Entry {
        // The last chunk that begins at or before the position.
        let chunk = firstPlace(among: starts.count) { starts[$0] > position } - 1
        return chunks[chunk][position - starts[chunk]]
    }

    /// The entries in order.
    var entries: [Entry] { chunks.flatMap(\.self) }

    /// Adds an entry after all others.
    mutating func append(_ entry: Entry) {
        if chunks.last.map({ $0.count >= Self.limit }) ?? true {
            chunks.append([])
            starts.append(count)
        }
        chunks[chunks.count - 1].append(entry)
        count += 1
    }

    /// The position of a key; nil when it is not there.
    func position(of key: KeyBytes) -> Int? {
        find(key).map { starts[$0.chunk] + $0.offset }
    }

    /// Removes the entry of a key; does nothing when it is not there.
    mutating func remove(_ key: KeyBytes) {
        guard let (chunk, offset) = find(key) else { return }
        chunks[chunk].remove(at: offset)
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
            starts.remove(at: chunk)
            shift(from: chunk, by: -1)
        } else {
            shift(from: chunk + 1, by: -1)
        }
    }

    /// Inserts an entry at its place and returns its position.
    mutating func insert(_ entry: Entry) -> Int {
        let (chunk, offset) = place(of: entry.key)
        guard chunk < chunks.count else {
            append(entry)
            return count - 1
        }
        let position = starts[chunk] + offset
        chunks[chunk].insert(entry, at: offset)
        count += 1
        shift(from: chunk + 1, by: 1)
        if chunks[chunk].count > 2 * Self.limit {
            let half = chunks[chunk].count / 2
            chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
            chunks[chunk].removeSubrange(half...)
            starts.insert(starts[chunk] + half, at: chunk + 1)
        }
        return position
    }

    /// Replaces the entry of the same key if its record has changed, and returns its position; nil when it is not there or
    /// the same.
    mutating func update(_ entry: Entry) -> Int? {
        guard let (chunk, offset) = find(entry.key), chunks[chunk][offset].hash != entry.hash else { return nil }
        chunks[chunk][offset] = entry
        return starts[chunk] + offset
    }

    /// Whether one entry comes before another in the list's direction.
    func isBefore(_ left: KeyBytes, _ right: KeyBytes) -> Bool {
        origin.isBackwards ? right.bytes.precedes(left.bytes) : left.bytes.precedes(right.bytes)
    }

    private mutating func shift(from chunk: Int, by distance: Int) {
        for index in chunk..<starts.count { starts[index] += distance }
    }

    private func find(_ key: KeyBytes) -> (chunk: Int, offset: Int)? {
        let (chunk, offset) = place(of: key)
        guard chunk < chunks.count, offset < chunks[chunk].count, chunks[chunk][offset].key == key else { return nil }
        return (chunk, offset)
    }

    /// Where a key is, or would be inserted; beyond the last chunk for a key after all others.
    private func place(of key: KeyBytes) -> (chunk: Int, offset: Int) {
        let chunk = firstPlace(among: chunks.count) { index in
            chunks[index].last.map { !isBefore($0.key, key) } ?? false
        }
        guard chunk < chunks.count else { return (chunk, 0) }
        return (chunk, firstPlace(among: chunks[chunk].count) { !isBefore(chunks[chunk][$0].key, key) })
    }
}

extension RecordList: Equatable where R: Equatable {
    /// Whether two lists have equal records in the same order.
    public static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}

/// The first of some places for which a condition holds, that holds for all after it; their number if it holds for none.
func firstPlace(among count: Int, where holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
        let middle = (low + high) / 2
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
