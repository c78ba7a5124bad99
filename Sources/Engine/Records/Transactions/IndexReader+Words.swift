import KeyValue

/// How a hit of a search matches: the first kind comes before the second.
private enum MatchKind: UInt8, CaseIterable {
    /// Each word that was searched for is a word of the record.
    case words
    /// Each is the beginning of a word of the record, and one only the beginning.
    case beginnings
}

extension IndexReader {
    /// Returns up to `limit` records that have every one of some words, from the first on or after an earlier page. Those
    /// that have each as a whole word come first, then those with words that only begin so; within both, in the order of the
    /// rank.
    ///
    /// - Parameters:
    ///   - isIncluded: which of these records count; each costs a look-up. Errors of the closure are rethrown unchanged.
    /// - Returns: the page; an empty one for no words.
    /// - Throws: `foreignPageToken` for a token of another index, of one of this index's other pages, or of other words.
    /// - Complexity: For whole words, a step for each time that the words' ranges, which are in the same order, pass each
    ///   other: a step and a look-up for each record where one word is searched for. For beginnings also up to two steps for
    ///   each distinct word that begins with one of them.
    public func search<Rank: OrderedKey>(
        _ words: [Word], after token: PageToken? = nil, limit: Int = 20,
        where isIncluded: (R) throws -> Bool = { _ in true }
    ) throws -> Page<R> where Key == WordKey<Rank> {
        let collection = try transaction.schema.collection(of: R.self)
        let table = try collection.bound(index).table
        let endWidth = Rank.width + R.ID.width
        var firstKind = MatchKind.words
        var start = KeyBytes()
        if let token {
            let kind = MatchKind.allCases.first { kind in
                let start = Self.beginningOfPlace(kind, of: words)
                return token.entry.count == start.count + endWidth && token.entry.bytes.starts(with: start.bytes)
            }
            guard token.table == Checksum.collectionNumber(of: table.name), let kind else {
                throw RecordsError.foreignPageToken
            }
            firstKind = kind
            start = KeyBytes(copying: token.entry.bytes.extracting(last: endWidth))
            // Of the very last place there is no next one.
            guard let next = start.successorOfPrefix else { return Page(records: [], next: nil) }
            start = next
        }
        var records: [R] = []
        var last: (kind: MatchKind, end: KeyBytes)?
        var hasMore = false
        // Records are large: room for a typical page, instead of growing repeatedly.
        records.reserveCapacity(min(limit, 63) + 1)
        guard limit > 0, !words.isEmpty else { return Page(records: [], next: words.isEmpty ? nil : token) }
        // Once: it looks at every row.
        let pending =
            try hasOnlyPlacedEntries
            ? [] : pendingEntries { key in words.contains { key.starts(with: $0.bytes.bytes) } }
        for kind in MatchKind.allCases where kind.rawValue >= firstKind.rawValue && !hasMore {
            try forEachHit(
                of: words, kind, endWidth: endWidth, from: kind == firstKind ? start : KeyBytes(), in: table,
                and: pending, into: &records
            ) { end, records in
                // A record is large: it is looked at where it is.
                guard try isIncluded(records[records.count - 1]) else {
                    records.removeLast()
                    return true
                }
                hasMore = records.count > limit
                guard !hasMore else {
                    records.removeLast()
                    return false
                }
                last = (kind, KeyBytes(copying: end))
                return true
            }
        }
        guard hasMore, let last else { return Page(records: records, next: nil) }
        var place = Self.beginningOfPlace(last.kind, of: words)
        place.append(contentsOf: last.end)
        return Page(records: records, next: PageToken(after: place, in: table))
    }

    /// What a token has before its end: the kind, and the words that it continues, since its place means nothing for others.
    private static func beginningOfPlace<Rank>(_ kind: MatchKind, of words: [Word]) -> KeyBytes
    where Key == WordKey<Rank> {
        var place = KeyBytes()
        place.append(kind.rawValue)
        var all: [UInt8] = []
        for word in words { all += word.bytes.array + [0] }
        place.append(bigEndian: UInt32(truncatingIfNeeded: XXHash64.hash(all.span.bytes, seed: 0)))
        return place
    }

    /// Adds each record with the words to a list, and passes the end of its entries, until the closure, which may remove the
    /// record again, returns false.
    private func forEachHit(
        of words: [Word], _ kind: MatchKind, endWidth: Int, from start: KeyBytes, in table: ChecksummedTable,
        and pending: [KeyBytes], into records: inout [R], _ body: (RawSpan, inout [R]) throws -> Bool
    ) throws {
        if kind == .words, words.count == 1 {
            // One range, with one entry of each record: stepping through it takes a third of the time of a join.
            var lower = words[0].bytes
            lower.append(0)
            let upper = lower.successorOfPrefix
            lower.append(contentsOf: start)
            let range = KeyRange(lower: lower, upper: upper)
            let own = pending.filter { range.contains($0.bytes) }
            return try read(range, and: own, backwards: false, isOneKeyEach: true, into: &records) {
                records, entry, _ in
                try body(entry.extracting(last: endWidth), &records)
            }
        }
        let collection = try transaction.schema.collection(of: R.self)
        let edits = transaction.overlay[collection.number]
        try transaction.withEngine { engine in
            try engine.withCursor(over: collection.records.table) { cursor in
                try engine.withCursor(over: table.table) { keys in
                    try join(words, kind, endWidth: endWidth, from: start) { lower, prefix in
                        var placed = try table.firstEntry(atOrAfter: lower, beginningWith: prefix, by: &keys)
                        while let hidden = placed, edits.hidesEntry(hidden.bytes, idWidth: R.ID.width) {
                            placed = try hidden.successorOfPrefix.flatMap {
                                try table.firstEntry(atOrAfter: $0, beginningWith: prefix, by: &keys)
                            }
                        }
                        return Self.firstEntry(of: pending, atOrAfter: lower, beginningWith: prefix, orBefore: placed)
                    } body: { end in
                        let id = end.bytes.extracting(last: R.ID.width)
                        guard try collection.append(id, from: &cursor, or: edits, to: &records) != nil else {
                            throw table.damage(end.bytes)
                        }
                        return try body(end.bytes, &records)
                    }
                }
            }
        }
    }

    /// Passes each end that entries of all words share, in order, until the closure returns false: each word's entries are
    /// moved to the furthest end of the others, until all are at the same.
    private func join(
        _ words: [Word], _ kind: MatchKind, endWidth: Int, from start: KeyBytes, _ seek: EntrySeek,
        body: (KeyBytes) throws -> Bool
    ) throws {
        var hits: [WordHits] = []
        for word in words {
            hits.append(
                try WordHits(of: word, isPrefix: kind == .beginnings, endWidth: endWidth, from: start, seek))
        }
        // Where no other word begins so, all records with the words were found before.
        if kind == .beginnings, !hits.contains(where: \.hasLongerWords) { return }
        var target = start
        while true {
            var areAtOne = true
            for place in hits.indices {
                guard let end = try hits[place].move(to: target, seek) else { return }
                if target.bytes.precedes(end.bytes) {
                    areAtOne = areAtOne && place == 0
                    target = end
                }
            }
            guard areAtOne else { continue }
            let isRepeated = try kind == .beginnings && areWhole(words, at: target, seek)
            if !isRepeated, try !body(target) { return }
            guard let next = target.successorOfPrefix else { return }
            target = next
        }
    }

    /// Whether all words are whole words of the record of an end.
    private func areWhole(_ words: [Word], at end: KeyBytes, _ seek: EntrySeek) throws -> Bool {
        for word in words {
            var entry = word.bytes
            entry.append(0)
            entry.append(contentsOf: end)
            guard try seek(entry, entry) != nil else { return false }
        }
        return true
    }

    /// The first of entries in order that is at or after a key, begins with a prefix and comes before another one; the other
    /// one if there is none.
    private static func firstEntry(
        of pending: [KeyBytes], atOrAfter lower: KeyBytes, beginningWith prefix: KeyBytes, orBefore placed: KeyBytes?
    ) -> KeyBytes? {
        var (first, end) = (0, pending.count)
        while first < end {
            let middle = (first + end) / 2
            if pending[middle] < lower { first = middle + 1 } else { end = middle }
        }
        guard first < pending.count, pending[first].bytes.starts(with: prefix.bytes) else { return placed }
        if let placed, placed < pending[first] { return placed }
        return pending[first]
    }
}

extension ChecksummedTable {
    /// The first entry at or after a key that begins with a prefix. Its checksum and order are checked.
    fileprivate func firstEntry(
        atOrAfter lower: KeyBytes, beginningWith prefix: KeyBytes, by cursor: inout Cursor
    ) throws -> KeyBytes? {
        guard try cursor.seek(lower.bytes) else { return nil }
        return try cursor.withEntry { key, checksummed in
            guard !key.precedes(lower.bytes) else { throw damage(key) }
            guard key.starts(with: prefix.bytes) else { return nil }
            return try open(key: key, checksummed: checksummed) { _, _ in KeyBytes(copying: key) }
        }
    }
}
