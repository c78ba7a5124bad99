import FoundationEssentials
import Glibc
import Synchronization

/// Keeps what comes from a source that cannot be read twice, such as a pipe: up to 8 MiB in memory, and what comes after
/// that in a file that has no name, so that the system removes it with the process, however that ends.
package final class Spool: ByteStore {
    /// Whether what is read from now on will be read again.
    package var keeps = true
    private let memoryLimit: Int
    private let folder: String
    private let source: ByteSource
    private var memory: [UInt8] = []
    private var descriptor: Int32 = -1
    private var bytesInFile = 0
    private var bytesLost = 0
    private var isAtEnd = false

    /// Creates a spool that holds nothing yet.
    ///
    /// - Parameter folder: where the file is when it comes to that. Default: `$TMPDIR`, else `/tmp`.
    package init(_ source: @escaping ByteSource, memoryLimit: Int = 8 << 20, folder: String? = nil) {
        self.source = source
        self.memoryLimit = memoryLimit
        self.folder = folder ?? FileManager.default.temporaryDirectory.path
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Known once all was read.
    package var count: Int? { isAtEnd ? bytesKept + bytesLost : nil }

    private var bytesKept: Int { memory.count + bytesInFile }

    package func bytes(at offset: Int) throws(FileError) -> [UInt8] {
        if offset < memory.count { return Array(memory[offset..<min(offset + (1 << 16), memory.count)]) }
        if offset < bytesKept {
            let place = off_t(offset - memory.count)
            return try OpenedFile.read(folder) { bytes in pread(descriptor, &bytes, bytes.count, place) }
        }
        if isAtEnd { return [] }
        let next = try source()
        if next.isEmpty {
            isAtEnd = true
        } else if keeps {
            try keep(next)
        } else {
            bytesLost += next.count
        }
        return next
    }

    private func keep(_ bytes: [UInt8]) throws(FileError) {
        guard descriptor >= 0 || memory.count + bytes.count > memoryLimit else {
            memory += bytes
            return
        }
        if descriptor < 0 { descriptor = try Self.fileWithoutName(in: folder) }
        try AtomicFile.write(bytes, to: descriptor, path: folder)
        bytesInFile += bytes.count
    }

    private static let number = Atomic<Int>(0)

    /// A file that nobody else sees and that is gone when it is closed.
    private static func fileWithoutName(in folder: String) throws(FileError) -> Int32 {
        // O_TMPFILE, whose definition in C is not one that Swift can read.
        let descriptor = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        // Some file systems do not know it: there the name is removed at once.
        let path = "\(folder)/daybook.\(getpid())-\(number.add(1, ordering: .relaxed).newValue).tmp"
        let named = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard named >= 0 else { throw FileError(code: errno, path: folder) }
        _ = unlink(path)
        return named
    }
}
