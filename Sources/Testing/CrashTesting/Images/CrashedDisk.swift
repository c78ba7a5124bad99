/// A disk in the making: the durable part first, then each unit in order as it was kept, torn or lost.
struct CrashedDisk {
    private(set) var tree: FileTree
    private let tail: TailRule
    /// Where the files hold what was written there, as opposed to what a crash has left. From a file's
    /// first unit on, and only for garbage, which alone asks for it.
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
                fill(spoiled(part, of: sector, file: write.file), of: write.file, with: choice)
            }
        }
    }

    /// A sector with bytes of the file that the write did not touch is old or new. Only what lies beyond the end can be
    /// otherwise: there the length may have come through without the bytes.
    private func spoiled(_ part: Range<Int>, of sector: Range<Int>, file: FileTree.Number) -> Range<Int> {
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
