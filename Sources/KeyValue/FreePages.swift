#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The pages that LMDB's free list names, read from the file and not through the map: where a file is cut short, a read
/// ends early, and the map would end the process.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): a page begins with number, padding, flags, and the end of the array of 2-byte node
/// offsets that follows (16 bytes); a node with 6 bytes of size or child page, the key's size, and the key. Each value is
/// a count and so many page numbers, on overflow pages when it is large.
struct FreePages {
    private let descriptor: Int32
    private let pageSize: Int
    private var pages: Set<UInt64> = []
    private var visited: Set<UInt64> = []

    private static let branch: UInt16 = 0x01
    private static let leaf: UInt16 = 0x02
    private static let headerSize = 16
    private static let nodeHeaderSize = 8
    private static let isOverflow: UInt16 = 0x01

    init(in file: String, of meta: MetaPage) throws(KeyValueError) {
        pageSize = meta.pageSize
        descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .permissionDenied(path: file) }
        defer { _ = close(descriptor) }
        if meta.freeListRoot != .max { visit(meta.freeListRoot) }
    }

    func contains(all range: ClosedRange<UInt64>) -> Bool {
        range.count <= pages.count && range.allSatisfy(pages.contains)
    }

    /// Takes in what a page and those below it name. Whatever cannot be read adds nothing.
    private mutating func visit(_ number: UInt64) {
        guard visited.insert(number).inserted, let page = read(at: number, count: pageSize) else { return }
        let bytes = unsafe page.span.bytes
        let flags: UInt16 = bytes.littleEndian(at: 10)
        let end = min(Int(bytes.littleEndian(at: 12, as: UInt16.self)), pageSize)
        for slot in stride(from: Self.headerSize, to: end - 1, by: 2) {
            let node = Int(bytes.littleEndian(at: slot, as: UInt16.self))
            guard node + Self.nodeHeaderSize <= pageSize else { continue }
            let low: UInt32 = bytes.littleEndian(at: node)
            let high: UInt16 = bytes.littleEndian(at: node + 4)
            if flags & Self.branch != 0 {
                visit(UInt64(low) | UInt64(high) << 32)
            } else if flags & Self.leaf != 0 {
                let value = node + Self.nodeHeaderSize + Int(bytes.littleEndian(at: node + 6, as: UInt16.self))
                if high & Self.isOverflow == 0 {
                    take(bytes, from: value, count: Int(low))
                } else if value + 8 <= pageSize {
                    takeOverflow(at: bytes.littleEndian(at: value), count: Int(low))
                }
            }
        }
    }

    private mutating func takeOverflow(at number: UInt64, count: Int) {
        guard let pages = read(at: number, count: Self.headerSize + count) else { return }
        unsafe take(pages.span.bytes, from: Self.headerSize, count: count)
    }

    private mutating func take(_ bytes: RawSpan, from start: Int, count: Int) {
        guard count >= 8, start + count <= bytes.byteCount else { return }
        let entries = min(bytes.littleEndian(at: start, as: UInt64.self), UInt64(count / 8 - 1))
        for entry in 0..<Int(entries) { pages.insert(bytes.littleEndian(at: start + 8 + entry * 8)) }
    }

    private func read(at number: UInt64, count: Int) -> [UInt8]? {
        guard count < 1 << 28, let offset = off_t(exactly: number), offset < off_t.max / off_t(pageSize) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, count, offset * off_t(pageSize))
        }
        return length == count ? bytes : nil
    }
}
