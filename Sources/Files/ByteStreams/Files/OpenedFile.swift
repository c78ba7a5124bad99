import Glibc

/// A file that is open: read from any place.
package final class OpenedFile: ByteStore {
    private let descriptor: Int32
    private let path: String
    package let count: Int?

    /// Takes over a descriptor of a regular file, and closes it at the end.
    package init(descriptor: Int32, path: String, count: Int) {
        self.descriptor = descriptor
        self.path = path
        self.count = count
    }

    deinit {
        close(descriptor)
    }

    package func bytes(at offset: Int) throws(FileError) -> [UInt8] {
        try Self.read(path) { bytes in pread(descriptor, &bytes, bytes.count, off_t(offset)) }
    }

    /// The bytes that a call of the system puts into an array; empty at the end.
    package static func read(_ path: String, _ call: (inout [UInt8]) -> Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = call(&bytes)
            if count >= 0 {
                bytes.removeLast(bytes.count - count)
                return bytes
            }
            guard errno == EINTR else { throw FileError(code: errno, path: path) }
        }
    }
}
