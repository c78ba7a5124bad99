/// A disk in the making: the durable part first, then each unit in order as it was kept, torn or lost.
struct CrashedDisk {
    private(set) var tree: FileTree
    private let tail: TailRule
    /// Where the files hold what was written there, as opposed to what a crash has left. From a file's first unit on.
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
        case .link, .unlink, .rename: break
        }
        tree.apply(change)
    }

    mutating func lose(_ write: PageWrite) {
        switch tail {
        case .lost: break
        case .zeros: tree.extend(write.file, to: write.range.upperBound)
        case .garbage:
            fill(RangeSet(write.range).subtracting(content(of: write.file)), of: write, with: .garbage)
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
                fill(spoiled(part, of: sector, file: write.file), of: write, with: choice)
            }
        }
    }

    /// A sector with bytes that the write did not touch is old or new. Only what lies beyond those that the file had can
    /// be otherwise: a file grows by whole sectors.
    private mutating func spoiled(
        _ part: Range<Int>, of sector: Range<Int>, file: FileTree.Number
    ) -> RangeSet<Int> {
        let content = content(of: file)
        let untouched = RangeSet(sector).subtracting(RangeSet(part))
        return untouched.isDisjoint(content) ? RangeSet(part) : RangeSet(part).subtracting(content)
    }

    private mutating func fill(_ ranges: RangeSet<Int>, of write: PageWrite, with choice: Tear.Sector) {
        for range in ranges.ranges {
            let bytes =
                choice == .zero ? [UInt8](repeating: 0, count: range.count) : Garbage.bytes(of: write.file, range)
            tree.write(bytes[...], at: range.lowerBound, of: write.file)
        }
    }

    private mutating func content(of file: FileTree.Number) -> RangeSet<Int> {
        if let content = written[file] { return content }
        let content = RangeSet(0..<tree.length(of: file))
        written[file] = content
        return content
    }

    private mutating func note(_ range: Range<Int>, in file: FileTree.Number) {
        var content = content(of: file)
        content.insert(contentsOf: range)
        written[file] = content
    }
}
