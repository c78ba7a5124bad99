import FileSystem
import FoundationEssentials
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
    private let descriptor: FileDescriptor
    private let path: String
    package let count: Int?

    /// Takes ownership of the descriptor of a regular file.
    package init(descriptor: FileDescriptor, path: String, count: Int) {
        self.descriptor = descriptor
        self.path = path
        self.count = count
    }

    deinit { descriptor.close() }

    package func bytes(at offset: Int) throws(FileError) -> [UInt8] {
        try Self.read(descriptor, at: offset, path: path)
    }

    /// Returns the next bytes of a descriptor, or those at an offset; empty at the end.
    package static func read(
        _ descriptor: FileDescriptor, at offset: Int? = nil, path: String
    ) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count =
            if let offset {
                try FileError.naming(path, descriptor.read(into: &bytes, at: offset))
            } else {
                try FileError.naming(path, descriptor.read(into: &bytes))
            }
        bytes.removeLast(bytes.count - count)
        return bytes
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
    private var descriptor: FileDescriptor?
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

    deinit { descriptor?.close() }

    /// Known once everything was read.
    package var count: Int? { isAtEnd ? bytesKept + bytesLost : nil }

    private var bytesKept: Int { memory.count + bytesInFile }

    package func bytes(at offset: Int) throws(FileError) -> [UInt8] {
        if offset < memory.count { return Array(memory[offset..<min(offset + (1 << 16), memory.count)]) }
        if offset < bytesKept, let descriptor {
            return try OpenedFile.read(descriptor, at: offset - memory.count, path: folder)
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
        guard descriptor != nil || memory.count + bytes.count > memoryLimit else {
            memory += bytes
            return
        }
        let file = if let descriptor { descriptor } else { try Self.fileWithoutName(in: folder) }
        descriptor = file
        try FileError.naming(folder, file.write(bytes))
        bytesInFile += bytes.count
    }

    /// Creates a file without a name, which disappears when it is closed.
    private static func fileWithoutName(in folder: String) throws(FileError) -> FileDescriptor {
        if let descriptor = try? FileDescriptor(folder, for: .unnamed) { return descriptor }
        // Some file systems do not support it; there the name is removed at once.
        return try fileWithRemovedName(in: folder)
    }

    /// Creates a file and removes its name.
    static func fileWithRemovedName(in folder: String) throws(FileError) -> FileDescriptor {
        try FileError.naming(folder, FileTree.makeNamelessFile("\(folder)/daybook"))
    }
}
