import Glibc
import KeyValue

/// What the first page of LMDB's data file says of all others.
struct DataFileHead {
    let pageSize: Int

    /// Where the page size stands: behind the page's header, and magic, version, address and map size.
    private static let pageSizeOffset = LMDBPage.headerSize + 24

    init(of file: String) throws(CrashLabError) {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(operation: "read \(file)", code: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.pageSizeOffset + 4)
        guard read(descriptor, &bytes, bytes.count) == bytes.count else {
            throw .system(operation: "read \(file)", code: errno)
        }
        pageSize = Int(bytes.span.bytes.littleEndian(at: Self.pageSizeOffset, as: UInt32.self))
    }
}
