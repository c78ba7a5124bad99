import KeyValue

/// Finds the first entry of an index at or after a key that begins with a prefix; nil when there is none.
typealias EntrySeek = (_ lower: KeyBytes, _ prefix: KeyBytes) throws -> KeyBytes?

/// The entries of an index of words for one word of a search, or for all words that begin with it, merged in the order of
/// their ends (rank and id), which is the same for every word.
struct WordHits {
    /// What a key of the word begins with.
    private let beginning: KeyBytes
    /// How many bytes at the end of an entry are the rank and the id.
    private let endWidth: Int
    /// The next entry of each word that begins so, as a heap with the first one at its top.
    private var heads: [KeyBytes] = []
    /// Whether words were found that only begin so.
    private(set) var hasLongerWords = false

    /// The entries whose ends are at or after a start.
    ///
    /// - Complexity: a step; for a prefix two steps for each distinct word that begins with it.
    init(of word: Word, isPrefix: Bool, endWidth: Int, from start: KeyBytes, _ seek: EntrySeek) throws {
        self.endWidth = endWidth
        var beginning = word.bytes
        if !isPrefix { beginning.append(0) }
        self.beginning = beginning
        var lower = beginning
        if !isPrefix { lower.append(contentsOf: start) }
        while let entry = try seek(lower, beginning) {
            let own = entry.prefix(entry.count - endWidth)
            hasLongerWords = hasLongerWords || own.count > word.bytes.count + 1
            var first: KeyBytes? = entry
            if end(of: entry).bytes.precedes(start.bytes) {
                var next = own
                next.append(contentsOf: start)
                first = try seek(next, own)
            }
            if let first { push(first) }
            guard isPrefix, let next = own.successorOfPrefix else { break }
            lower = next
        }
    }

    /// Moves to the first entry whose end is at or after another one, and returns that end; nil when there is no more.
    mutating func move(to target: KeyBytes, _ seek: EntrySeek) throws -> KeyBytes? {
        while let head = heads.first {
            let reached = end(of: head)
            guard reached.bytes.precedes(target.bytes) else { return reached }
            let own = head.prefix(head.count - endWidth)
            var next = own
            next.append(contentsOf: target)
            if let entry = try seek(next, own) {
                heads[0] = entry
            } else if let last = heads.popLast(), !heads.isEmpty {
                heads[0] = last
            }
            sink()
        }
        return nil
    }

    private func end(of entry: KeyBytes) -> KeyBytes {
        KeyBytes(copying: entry.bytes.extracting(last: endWidth))
    }

    private func isOrdered(_ left: Int, _ right: Int) -> Bool {
        !heads[right].bytes.extracting(last: endWidth).precedes(heads[left].bytes.extracting(last: endWidth))
    }

    private mutating func push(_ entry: KeyBytes) {
        heads.append(entry)
        var place = heads.count - 1
        while place > 0, !isOrdered((place - 1) / 2, place) {
            heads.swapAt((place - 1) / 2, place)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            var first = place
            for child in [2 * place + 1, 2 * place + 2] where child < heads.count {
                if !isOrdered(first, child) { first = child }
            }
            if first == place { return }
            heads.swapAt(place, first)
            place = first
        }
    }
}
