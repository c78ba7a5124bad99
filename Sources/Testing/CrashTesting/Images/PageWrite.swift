/// A write, or the part of one, that lies in one page of a file.
struct PageWrite: Sendable {
    static let sectorSize = 512

    let file: FileTree.Number
    let offset: Int
    let bytes: [UInt8]
    /// Made once, where the write fills the page.
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

    /// The bytes of the file that one of the write's sectors has, whether written or not.
    func sector(_ index: Int) -> Range<Int> {
        let start = (offset / Self.sectorSize + index) * Self.sectorSize
        return start..<start + Self.sectorSize
    }

    /// What is written in a part of the range.
    func bytes(in part: Range<Int>) -> ArraySlice<UInt8> {
        bytes[part.lowerBound - offset..<part.upperBound - offset]
    }

    /// The parts of a write, one for each page.
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
