import LabSupport

extension DiskHistory {
    /// Returns the disk that an outcome leaves.
    ///
    /// Unknown units are ignored. An exchange of two names is one step of a file system's journal, so it is kept if a
    /// later change of the same names is kept; no name may be lost by half of it.
    func image(_ outcome: CrashOutcome) -> DiskImage {
        var disk = CrashedDisk(durable, tail: outcome.tail)
        let exchanges = exchanges(keptBy: outcome)
        for (index, unit) in units.enumerated() {
            if let tear = outcome.tears[index], let write = unit.write {
                disk.tear(write, tear)
            } else if outcome.kept.contains(index) || exchanges.contains(index) {
                disk.keep(unit.change)
            } else if let write = unit.write {
                disk.lose(write)
            }
        }
        return disk.tree.image
    }

    private func exchanges(keptBy outcome: CrashOutcome) -> Set<Int> {
        var kept: Set<Int> = []
        for (index, unit) in units.enumerated().reversed() where unit.change.isExchange {
            let isTakenAlong = units.indices[(index + 1)...].contains { later in
                (outcome.kept.contains(later) || kept.contains(later)) && units[later].change.isBound(to: unit.change)
            }
            if isTakenAlong { kept.insert(index) }
        }
        return kept
    }
}

/// A disk after a crash, built up from the durable content and each unit in order: kept, torn or lost.
struct CrashedDisk {
    private(set) var tree: FileTree
    private let tail: TailRule
    /// The ranges of each file that hold written bytes. Tracked from a file's first unit on, and only for garbage
    /// tails, which need it.
    private var written: [FileTree.Number: RangeSet<Int>] = [:]

    init(_ durable: FileTree, tail: TailRule) {
        tree = durable
        self.tail = tail
    }

    mutating func keep(_ change: DiskChange) {
        switch change {
        case .write(let write):
            note(write.range, in: write.file)
        case .resize(let file, let length):
            note(0..<length, in: file)
            written[file]?.remove(contentsOf: length..<Int.max)
        case .link, .unlink, .rename, .exchange: break
        }
        tree.apply(change)
    }

    mutating func lose(_ write: PageWrite) {
        switch tail {
        case .lost: break
        case .zeros: tree.extend(write.file, to: write.range.upperBound)
        case .garbage:
            let lost = RangeSet(write.range).subtracting(content(of: write.file))
            for range in lost.ranges { fill(range, of: write.file, with: .garbage) }
        }
    }

    mutating func tear(_ write: PageWrite, _ tear: Tear) {
        for (index, choice) in tear.sectors.enumerated() where index < write.sectorCount {
            let sector = write.sector(index)
            let part = sector.clamped(to: write.range)
            switch choice {
            case .old: break
            case .new:
                note(part, in: write.file)
                tree.write(write.bytes(in: part), at: part.lowerBound, of: write.file)
            case .zero, .garbage:
                fill(corruptible(part, of: sector, file: write.file), of: write.file, with: choice)
            }
        }
    }

    /// A sector that also holds bytes outside the write is old or new. Only beyond the end of the file can it differ:
    /// there the length may be durable without the bytes.
    private func corruptible(_ part: Range<Int>, of sector: Range<Int>, file: FileTree.Number) -> Range<Int> {
        let length = tree.length(of: file)
        let hasOthers =
            sector.lowerBound < min(part.lowerBound, length) || part.upperBound < min(sector.upperBound, length)
        return hasOthers ? min(max(part.lowerBound, length), part.upperBound)..<part.upperBound : part
    }

    private mutating func fill(_ range: Range<Int>, of file: FileTree.Number, with choice: Tear.Sector) {
        let bytes = choice == .zero ? [UInt8](repeating: 0, count: range.count) : Garbage.bytes(of: file, range)
        tree.write(bytes[...], at: range.lowerBound, of: file)
    }

    private mutating func content(of file: FileTree.Number) -> RangeSet<Int> {
        if let content = written[file] { return content }
        let content = RangeSet(0..<tree.length(of: file))
        written[file] = content
        return content
    }

    private mutating func note(_ range: Range<Int>, in file: FileTree.Number) {
        guard tail == .garbage else { return }
        var content = content(of: file)
        content.insert(contentsOf: range)
        written[file] = content
    }
}

/// Bytes that were never written, the same for the same position in the same file.
enum Garbage {
    static func bytes(of file: FileTree.Number, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count + 16)
        let seed = SeededGenerator.mix(UInt64(truncatingIfNeeded: file) &+ 0x9E37_79B9_7F4A_7C15)
        let start = range.lowerBound / 8
        for word in start..<(range.upperBound + 7) / 8 {
            let bits = SeededGenerator.mix(seed &+ UInt64(truncatingIfNeeded: word))
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
        }
        let skipped = range.lowerBound - start * 8
        return Array(bytes[skipped..<skipped + range.count])
    }
}
