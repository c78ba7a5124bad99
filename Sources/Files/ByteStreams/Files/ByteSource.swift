import FoundationEssentials
import Glibc
import Synchronization

/// Returns the bytes of a file in parts of any length; an empty part is the end.
public typealias ByteSource = () throws(FileError) -> [UInt8]

/// Receives the bytes of a file in parts.
public typealias ByteSink = ([UInt8]) throws(FileError) -> Void

/// Returns a source of bytes in memory.
package func byteSource(of bytes: [UInt8], partSize: Int = 1 << 16) -> ByteSource {
    var position = 0
    return { () throws(FileError) in
        let end = min(position + partSize, bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }
}

/// The bytes of a file that can be read more than once.
package protocol ByteStore: AnyObject {
    /// The number of bytes, if it is known before they are read.
    var count: Int? { get }

    /// Returns some bytes from an offset, which is not beyond what was read before; empty at the end.
    func bytes(at offset: Int) throws(FileError) -> [UInt8]
}

/// Bytes in memory.
package final class BytesInMemory: ByteStore {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var count: Int? { bytes.count }

    package func bytes(at offset: Int) -> [UInt8] {
        Array(bytes[offset..<min(offset + (1 << 16), bytes.count)])
    }
}

/// An open regular file.
package final class OpenedFile: ByteStore {
    private let descriptor: Int32
    private let path: String
    package let count: Int?

    /// Takes ownership of the descriptor of a regular file.
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

    /// Returns the bytes that a system call reads into an array; empty at the end.
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

/// Stores the bytes of a source that cannot be read twice, such as a pipe: up to 8 MiB in memory, the rest in a file
/// without a name, which the system removes with the process.
package final class Spool: ByteStore {
    /// Whether the bytes read from now on will be read again.
    package var keeps = true
    private let memoryLimit: Int
    private let folder: String
    private let source: ByteSource
    private var memory: [UInt8] = []
    private var descriptor: Int32 = -1
    private var bytesInFile = 0
    private var bytesLost = 0
    private var isAtEnd = false

    /// Creates an empty spool.
    ///
    /// - Parameter folder: where the file is created, if needed. Default: `$TMPDIR`, else `/tmp`.
    package init(_ source: @escaping ByteSource, memoryLimit: Int = 8 << 20, folder: String? = nil) {
        self.source = source
        self.memoryLimit = memoryLimit
        self.folder = folder ?? FileManager.default.temporaryDirectory.path
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Known once everything was read.
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

    /// Creates a file without a name, which disappears when it is closed.
    private static func fileWithoutName(in folder: String) throws(FileError) -> Int32 {
        // O_TMPFILE, whose definition in C cannot be imported into Swift.
        let descriptor = open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { return descriptor }
        // Some file systems do not support it; there the name is removed at once.
        return try fileWithRemovedName(in: folder)
    }

    /// Creates a file and removes its name.
    static func fileWithRemovedName(in folder: String) throws(FileError) -> Int32 {
        var path = ""
        var named: Int32
        repeat {
            path = "\(folder)/daybook.\(getpid())-\(number.add(1, ordering: .relaxed).newValue).tmp"
            named = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            // A process with the same id, perhaps in another container, has made a file of this name.
        } while named < 0 && errno == EEXIST
        guard named >= 0 else { throw FileError(code: errno, path: folder) }
        _ = unlink(path)
        return named
    }
}
