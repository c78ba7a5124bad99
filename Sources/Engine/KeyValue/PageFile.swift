#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A data file that is read page by page and not through the map: where the file is cut short, or a page's number is
/// damaged, a read ends early, and the map would end the process.
struct PageFile: ~Copyable {
    private let descriptor: Int32
    let pageSize: Int

    init(_ file: String, pageSize: Int) throws(KeyValueError) {
        self.pageSize = pageSize
        descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .permissionDenied(path: file) }
    }

    deinit {
        close(descriptor)
    }

    /// So many bytes from the beginning of a page; nil when the file does not have them.
    func bytes(at number: UInt64, count: Int) -> [UInt8]? {
        guard count < 1 << 31, let offset = off_t(exactly: number), offset < off_t.max / off_t(pageSize) else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, count, offset * off_t(pageSize))
        }
        return length == count ? bytes : nil
    }

    func page(_ number: UInt64) -> TreePage? {
        bytes(at: number, count: pageSize).map(TreePage.init)
    }
}
