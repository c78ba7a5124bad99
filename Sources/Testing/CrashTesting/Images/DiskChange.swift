import DiskImages

/// A change that a crash leaves done or not done. A write can also be torn.
enum DiskChange: Sendable {
    /// A name in a folder.
    struct Place: Sendable, Hashable {
        let folder: FileTree.Number
        let name: String
    }

    case write(PageWrite)
    case resize(file: FileTree.Number, length: Int)
    case link(Place, FileTree.Number)
    case unlink(Place)
    /// `left` are the places in the same folder that the file has left. It is still there if earlier renames are lost.
    case rename(from: Place, to: Place, FileTree.Number, left: Set<Place>)
    /// Two existing names trade their targets atomically.
    case exchange(Place, FileTree.Number, with: Place, FileTree.Number, left: Set<Place>)

    /// Whether a flush of a file or folder covers this change.
    func belongs(to number: FileTree.Number) -> Bool {
        switch self {
        case .write(let write): write.file == number
        case .resize(let file, _): file == number
        case .link(let place, _), .unlink(let place): place.folder == number
        case .rename(let one, let two, _, _), .exchange(let one, _, let two, _, _):
            one.folder == number || two.folder == number
        }
    }

    /// Whether the disk cannot hold the later change without the earlier one: both affect the same page, length or
    /// name.
    func isBound(to other: DiskChange) -> Bool {
        switch (self, other) {
        case (.write(let one), .write(let two)):
            one.file == two.file && one.pageNumber == two.pageNumber
        case (.resize(let one, _), .resize(let two, _)):
            one == two
        case (.write(let write), .resize(let file, let length)), (.resize(let file, let length), .write(let write)):
            write.file == file && write.range.upperBound > length
        default:
            places.contains { other.places.contains($0) }
        }
    }

    private var places: [Place] {
        switch self {
        case .write, .resize: []
        case .link(let place, _), .unlink(let place): [place]
        case .rename(let one, let two, _, _), .exchange(let one, _, let two, _, _): [one, two]
        }
    }

    var isExchange: Bool {
        if case .exchange = self { true } else { false }
    }
}

/// A write, or its part, within one page of a file.
struct PageWrite: Sendable {
    static let sectorSize = 512

    let file: FileTree.Number
    let offset: Int
    let bytes: [UInt8]
    /// Made once, if the write fills the page.
    let wholePage: Page?

    init(file: FileTree.Number, offset: Int, bytes: [UInt8]) {
        self.file = file
        self.offset = offset
        self.bytes = bytes
        wholePage = bytes.count == Page.size ? Page(bytes) : nil
    }

    var pageNumber: Int { offset / Page.size }
    var range: Range<Int> { offset..<offset + bytes.count }

    var sectorCount: Int { (range.upperBound - 1) / Self.sectorSize - offset / Self.sectorSize + 1 }

    /// The bytes of the file that one of the write's sectors covers, whether written or not.
    func sector(_ index: Int) -> Range<Int> {
        let start = (offset / Self.sectorSize + index) * Self.sectorSize
        return start..<start + Self.sectorSize
    }

    /// The written bytes in a part of the range.
    func bytes(in part: Range<Int>) -> ArraySlice<UInt8> {
        bytes[part.lowerBound - offset..<part.upperBound - offset]
    }

    /// Cuts a write at page boundaries.
    static func cut(_ bytes: [UInt8], at offset: Int, file: FileTree.Number) -> [PageWrite] {
        var parts: [PageWrite] = []
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + Page.size - (offset + position) % Page.size)
            parts.append(PageWrite(file: file, offset: offset + position, bytes: Array(bytes[position..<end])))
            position = end
        }
        return parts
    }
}

/// A change that no flush has made durable yet.
struct PendingUnit: Sendable, CustomStringConvertible {
    let change: DiskChange
    /// For example "write data.mdb page 3", with the path at the time.
    let description: String
    /// A flush of it has failed. The system considers it written, so no later flush covers it.
    var isAbandoned = false

    /// The write, if it is one.
    var write: PageWrite? {
        if case .write(let write) = change { write } else { nil }
    }
}
