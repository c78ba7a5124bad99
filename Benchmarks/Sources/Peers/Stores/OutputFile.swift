import Glibc

/// A file that is written from the beginning.
final class OutputFile {
    private let descriptor: Int32
    /// Whether everything was written.
    private(set) var isWhole = true

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw PeerFailure("cannot write \(path): \(errno)") }
    }

    func write(_ bytes: [UInt8]) {
        if Glibc.write(descriptor, bytes, bytes.count) != bytes.count { isWhole = false }
    }

    func flush() {
        if fsync(descriptor) != 0 { isWhole = false }
    }

    func close() { _ = Glibc.close(descriptor) }
}
