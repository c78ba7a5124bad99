import LabSupport

/// Damages data files as disks and attackers do.
struct FileDamage {
    private static let pageSize = 4096
    /// The files from which pages are spliced in: of other stores, and of the same ones at other times.
    let corpus: [[UInt8]]

    /// Returns a file with one damage or several.
    func damaged(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes = random.pick(corpus)
        for _ in 0..<random.pick([1, 1, 1, 2, 3, 8, 40]) { damage(&bytes, &random) }
        return bytes
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let pages = bytes.count / Self.pageSize
        guard pages > 0 else { return }
        let start = random.below(pages) * Self.pageSize
        func put(_ page: some Collection<UInt8>, at start: Int) {
            bytes.replaceSubrange(start..<(start + page.count), with: page)
        }
        switch random.below(9) {
        case 0: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        case 1:
            for _ in 0..<4 {
                bytes[start + random.below(24)] = random.pick([0, 1, 2, 4, 8, 16, 0xF0, 0xFF, random.byte()])
            }
        case 2:
            let sector = random.below(bytes.count / 512) * 512
            put((0..<512).map { _ in random.byte() }, at: sector)
        case 3: put([UInt8](repeating: random.pick([0, 0xFF]), count: Self.pageSize), at: start)
        case 4:
            // A page of this store in another place: loops, and pages of one table in another.
            let other = random.below(pages) * Self.pageSize
            put(Array(bytes[other..<(other + Self.pageSize)]), at: start)
        case 5:
            let other = random.below(pages) * Self.pageSize
            let (first, second) = (
                Array(bytes[start..<(start + Self.pageSize)]), Array(bytes[other..<(other + Self.pageSize)])
            )
            put(second, at: start)
            put(first, at: other)
        case 6:
            let other = random.pick(corpus)
            let place = random.below(other.count / Self.pageSize) * Self.pageSize
            put(Array(other[place..<(place + Self.pageSize)]), at: start)
        case 7:
            // The number of a page, somewhere: in a branch, a head, a list of free pages.
            let place = start + random.below(Self.pageSize / 2 - 8) * 2
            bytes[place] = UInt8(truncatingIfNeeded: random.below(pages))
            bytes[place + 1] = 0
        default: bytes.removeLast(min(bytes.count - 1, random.below(bytes.count)))
        }
    }
}
