import KeyValue

/// The entries of one table that were found on the pages of a damaged file, each with a valid checksum. A key can be there
/// several times: former versions stay on free pages until those are used again.
struct FoundEntries {
    /// Where an entry is, and what is known of it.
    struct Item {
        fileprivate let keyStart: Int
        fileprivate let keyCount: Int
        /// The position of its page, and its number there; for one in the commit log -1, and its place among the logged values.
        let page: Int
        let number: Int
        fileprivate(set) var status: PageSurvey.Status
        /// When the record was last changed, in microseconds, as far as it says so itself.
        let time: Int64
        let hash: UInt64

        fileprivate static let inLog = -1

        /// Whether it is part of the newest state.
        var isLive: Bool { status >= .unclaimed }

        /// The better one of two entries of a key first.
        fileprivate func isBetter(than other: Item) -> Bool {
            (status, time, page) > (other.status, other.time, other.page)
        }
    }

    /// The table's name.
    let name: String
    /// What identifies it in the checksums.
    let seed: UInt64
    /// Whether every entry of the newest state was found, so that nothing else can belong to it.
    var isWhole = false
    private(set) var items: [Item] = []
    /// Entries in their places with a wrong checksum: what is left of damaged ones, by their keys.
    private(set) var damaged: [KeyBytes: [UInt8]] = [:]
    private var keys: [UInt8] = []
    /// The values that are in the commit log, with their checksums.
    fileprivate private(set) var logged: [[UInt8]] = []
    /// The keys that the commit log removes.
    private(set) var removedKeys: Set<KeyBytes> = []

    init(_ name: String) {
        self.name = name
        seed = Checksum.seed(ofTable: name)
    }

    mutating func add(
        _ key: RawSpan, on page: SurveyedPage, number: Int, changedAt time: Int64, _ hash: UInt64
    ) {
        items.append(
            Item(
                keyStart: keys.count, keyCount: key.byteCount, page: page.position, number: number,
                status: page.status(ofEntry: number), time: time, hash: hash))
        keys.append(key)
    }

    /// Takes what the commit log changes: what the pages have of the same keys is former.
    ///
    /// - Parameters:
    ///   - hash: that of a value with its checksum; nil when that is wrong.
    ///   - time: when a record was last changed.
    mutating func apply(
        _ changes: [[UInt8]: [UInt8]?], hash: (_ key: RawSpan, _ value: RawSpan) -> UInt64?,
        time: (_ value: RawSpan) -> Int64
    ) {
        let applied = changes.filter { key, value in
            value.map { unsafe hash(key.span.bytes, $0.span.bytes) != nil } ?? true
        }
        for place in items.indices where applied[Array(keyBytes(of: items[place]))] != nil {
            items[place].status = min(items[place].status, .former)
        }
        for (key, value) in applied {
            let bytes = KeyBytes(key)
            damaged[bytes] = nil
            guard let value, let hash = unsafe hash(key.span.bytes, value.span.bytes) else {
                removedKeys.insert(bytes)
                continue
            }
            items.append(
                Item(
                    keyStart: keys.count, keyCount: key.count, page: Item.inLog, number: logged.count,
                    status: .logged,
                    time: unsafe time(value.span.bytes), hash: hash))
            keys += key
            logged.append(value)
        }
    }

    /// Notes an entry with a wrong checksum.
    mutating func addDamaged(_ key: RawSpan, _ found: RawSpan) {
        damaged[KeyBytes(copying: key)] = found.copied
    }

    func key(of item: Item) -> KeyBytes {
        KeyBytes(Array(keys[item.keyStart..<(item.keyStart + item.keyCount)]))
    }

    private func keyBytes(of item: Item) -> ArraySlice<UInt8> { keys[item.keyStart..<(item.keyStart + item.keyCount)] }

    /// Sorts the entries by their keys, the better ones of each key first.
    mutating func sort() {
        let keys = keys
        items.sort { left, right in
            let (mine, theirs) = (
                keys[left.keyStart..<(left.keyStart + left.keyCount)],
                keys[right.keyStart..<(right.keyStart + right.keyCount)]
            )
            if mine.lexicographicallyPrecedes(theirs) { return true }
            return mine == theirs && left.isBetter(than: right)
        }
    }

    /// Whether the entries of the newest state are those that the store has counted.
    func isExpected(by count: RecordCount?) -> Bool {
        var found = RecordCount()
        for item in items where item.isLive { found += RecordCount(count: 1, digest: item.hash) }
        return found == count ?? .none
    }

    /// Calls a closure with the entries of each key, in the order of the keys. After `sort`.
    func forEachKey(_ body: (ArraySlice<Item>) throws -> Void) rethrows {
        var start = 0
        while start < items.count {
            var end = start + 1
            while end < items.count, keyBytes(of: items[end]) == keyBytes(of: items[start]) { end += 1 }
            try body(items[start..<end])
            start = end
        }
    }
}

/// Reads found entries again. The last page is kept, since neighbors are mostly on one.
final class EntrySource {
    private let survey: PageSurvey
    private var page: SurveyedPage?
    private var position = -1
    private let isChecked: Bool

    /// - Parameter isChecked: false only where a fault injection point says so.
    init(_ survey: PageSurvey, isChecked: Bool = true) {
        self.survey = survey
        self.isChecked = isChecked
    }

    /// The hash of an entry with its checksum behind the value; nil when that is wrong.
    func hash(of key: RawSpan, _ checksummed: RawSpan, seed: UInt64) -> UInt64? {
        let count = checksummed.byteCount - Checksum.byteCount
        if isChecked || count < 0 { return Checksum.hash(key: key, checksummed: checksummed, seed: seed) }
        return Checksum.hash(key: key, value: checksummed.extracting(0..<count), seed: seed)
    }

    /// The value of an entry, without its checksum; nil when the file was changed meanwhile.
    func value(of item: FoundEntries.Item, in table: FoundEntries) -> [UInt8]? {
        if item.page == FoundEntries.Item.inLog {
            return table.logged[item.number].dropLast(Checksum.byteCount)
        }
        if position != item.page {
            page = survey.surveyedPage(at: item.page)
            position = item.page
        }
        guard
            let found = page.map({ page in
                page.withEntry(item.number) { key, checksummed -> [UInt8]? in
                    hash(of: key, checksummed, seed: table.seed) == item.hash
                        ? checksummed.extracting(0..<(checksummed.byteCount - Checksum.byteCount)).copied : nil
                }
            })
        else { return nil }
        return found
    }
}
