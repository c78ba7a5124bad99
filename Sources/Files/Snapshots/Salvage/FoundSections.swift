/// The sections of a snapshot that may be damaged, wherever they are in the file. None of them is trusted yet.
struct FoundSections {
    /// A section, and where its head is.
    struct Section: Equatable {
        let head: SnapshotSection
        let offset: Int
        let contentOffset: Int
        var end: Int { contentOffset + head.length }

        init(_ head: SnapshotSection, at offset: Int, version: Int) {
            self.head = head
            self.offset = offset
            contentOffset = offset + SnapshotSection.byteCount(version: version)
        }
    }

    /// In the order of the file.
    private(set) var sections: [Section] = []
    /// The version of the format.
    let version: Int
    private let bytes: SnapshotBytes

    /// How much is read at a time while a head is looked for.
    private static let windowSize = 1 << 20

    init(in bytes: SnapshotBytes, version: Int) {
        self.bytes = bytes
        self.version = version
        if version == 1 { findByOffsets() } else { findByHeads() }
    }

    /// The content of a section; shorter when the file ends before.
    func content(of section: Section) -> [UInt8] { bytes.read(at: section.contentOffset, section.head.length) }

    // MARK: Version 2

    /// Heads have checksums of their own: behind a damaged one, the next is looked for.
    private mutating func findByHeads() {
        var position = SnapshotHeader.byteCount
        while let section = nextSection(from: position) {
            sections.append(section)
            // The length is right unless bytes were added or removed within the section.
            let isFollowed = section.end >= bytes.count || self.section(at: section.end) != nil
            position = isFollowed && section.end <= bytes.count ? section.end : section.contentOffset
        }
    }

    private func section(at offset: Int) -> Section? {
        section(bytes.read(at: offset, Self.byteCount), at: offset)
    }

    private func section(_ head: [UInt8], at offset: Int) -> Section? {
        guard let known = try? SnapshotSection(head, version: 2) else { return nil }
        return Section(known, at: offset, version: 2)
    }

    private static let byteCount = SnapshotSection.byteCount(version: 2)

    private func nextSection(from start: Int) -> Section? {
        if let section = section(at: start) { return section }
        var offset = start
        while true {
            let window = bytes.read(at: offset, Self.windowSize)
            guard window.count >= Self.byteCount else { return nil }
            for place in 0...(window.count - Self.byteCount) where window[place + 1] == 2 {
                guard SnapshotSection.Kind(rawValue: window[place]) != nil else { continue }
                if let found = section(Array(window[place..<place + Self.byteCount]), at: offset + place) {
                    return found
                }
            }
            offset += window.count - Self.byteCount + 1
        }
    }

    // MARK: Version 1

    /// The footer says where the sections are; without it, each one says where the next is.
    private mutating func findByOffsets() {
        let offsets = footerOffsets ?? []
        var position = SnapshotHeader.byteCount
        while position < bytes.count {
            let size = SnapshotSection.byteCount(version: 1)
            let next = offsets.first { $0 > position }
            if var head = try? SnapshotSection(bytes.read(at: position, size), version: 1) {
                if let next { head.length = next - position - size }
                guard (0...bytes.count - position - size).contains(head.length) else { return }
                sections.append(Section(head, at: position, version: 1))
            }
            guard let end = next ?? sections.last?.end, end > position else { return }
            position = end
        }
    }

    /// The places of the sections by the footer of version 1; nil when it is not at the end of the file, or is damaged.
    private var footerOffsets: [Int]? {
        let (size, rest) = (SnapshotSection.byteCount(version: 1), 4 + 8 + 32)
        for count in 1...max(1, min(bytes.count / 8, 1 << 16)) {
            let start = bytes.count - rest - 8 * count - size
            guard start >= SnapshotHeader.byteCount else { return nil }
            guard let head = try? SnapshotSection(bytes.read(at: start, size), version: 1),
                head == SnapshotSection(.footer, length: rest + 8 * count)
            else { continue }
            var cursor = ByteCursor(bytes.read(at: start + size + 4, 8 * count))
            let offsets = (0..<count).compactMap { _ in (try? cursor.integer(UInt64.self)).flatMap(Int.init(exactly:)) }
            let ascend = zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 }
            return offsets.count == count && ascend && offsets.last ?? start < start ? offsets + [start] : nil
        }
        return nil
    }
}
