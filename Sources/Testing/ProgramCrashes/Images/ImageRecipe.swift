/// What determines an image of a recording: a disk, a point, the changes that it keeps.
struct ImageRecipe: Hashable, Sendable {
    /// What the file holds in place of a lost write that would have extended it.
    enum Tail: Hashable, Sendable {
        /// Nothing: the file ends with the last kept byte.
        case cut
        /// Zeros, for the lost writes up to a pending change.
        case zeros(through: Int)
    }

    /// A write of which only some sectors of 512 bytes reached the disk.
    struct Tear: Hashable, Sendable {
        let change: Int
        let sectors: Int
        let isFromStart: Bool
    }

    let disk: DiskModel
    /// The number of the event after which the power fails.
    let event: Int
    /// Whether a synchronous write has already flushed its bytes.
    var isAfterFlush = false
    /// The pending changes before those in ``kept``, which are all kept or all lost.
    var olderCount = 0
    var keepsOlder = true
    var kept: ChangeSet
    var tail = Tail.cut
    var tear: Tear?

    func keeps(_ index: Int) -> Bool { index < olderCount ? keepsOlder : kept.contains(index - olderCount) }
}

extension ImageRecipe: CustomStringConvertible {
    /// The reproducer, as `xfs:4:kept=0,2`.
    var description: String {
        var ranges: [String] = []
        var index = 0
        let end = olderCount + ChangeSet.capacity
        while index < end {
            guard keeps(index) else {
                index += 1
                continue
            }
            let first = index
            while index + 1 < end, keeps(index + 1) { index += 1 }
            ranges.append(first == index ? "\(first)" : "\(first)-\(index)")
            index += 1
        }
        var text =
            "\(disk.rawValue):\(event)\(isAfterFlush ? "+" : ""):kept=\(ranges.isEmpty ? "none" : ranges.joined(separator: ","))"
        if case .zeros(let through) = tail { text += ":zeros=\(through)" }
        if let tear { text += ":torn=\(tear.change).\(tear.sectors).\(tear.isFromStart ? "first" : "last")" }
        return text
    }

    /// Parses a reproducer.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let disk = DiskModel(rawValue: String(parts[0])), parts[2].hasPrefix("kept="),
            let event = Int(parts[1].hasSuffix("+") ? parts[1].dropLast() : parts[1])
        else { return nil }
        var indices: [Range<Int>] = []
        let list = parts[2].dropFirst(5)
        for part in list == "none" ? [] : list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], 0 <= first, first <= last,
                last < 1_000_000
            else { return nil }
            indices.append(first..<last + 1)
        }
        let highest = indices.map(\.upperBound).max() ?? 0
        // The older changes are all kept, or the text could not have been printed.
        let older = max(highest - ChangeSet.capacity, 0)
        var kept = ChangeSet()
        for index in indices.joined() where index >= older { kept.insert(index - older) }
        self.init(disk: disk, event: event, isAfterFlush: parts[1].hasSuffix("+"), olderCount: older, kept: kept)
        for part in parts[3...] {
            if part.hasPrefix("zeros="), let through = Int(part.dropFirst(6)) {
                tail = .zeros(through: through)
            } else if part.hasPrefix("torn=") {
                let words = part.dropFirst(5).split(separator: ".")
                guard words.count == 3, let change = Int(words[0]), let sectors = Int(words[1]) else { return nil }
                tear = Tear(change: change, sectors: sectors, isFromStart: words[2] == "first")
            } else {
                return nil
            }
        }
    }
}
