import ByteStreams
import Glibc

/// The beginning of a snapshot's file, and what gives the rest of it.
struct SnapshotFront {
    /// What errors call the file.
    let name: String
    private let descriptor: Descriptor
    private var read: [UInt8] = []

    /// Closes a descriptor with its last user; never standard input's.
    private final class Descriptor {
        let number: Int32

        init(_ number: Int32) {
            self.number = number
        }

        deinit {
            if number != STDIN_FILENO { close(number) }
        }
    }

    init(_ path: String) throws(FileError) {
        name = path == "-" ? "standard input" : path
        let number = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else {
            throw errno == ENOENT ? .snapshotNotFound(path: path) : FileError(code: errno, path: path)
        }
        descriptor = Descriptor(number)
    }

    /// The header, which is read once.
    mutating func header() throws(FileError) -> SnapshotHeader {
        while read.count < SnapshotHeader.byteCount {
            let more = try Self.bytes(of: descriptor, name)
            if more.isEmpty { break }
            read += more
        }
        return try SnapshotHeader(Array(read.prefix(SnapshotHeader.byteCount)), path: name)
    }

    /// What comes after the header.
    var rest: ByteSource {
        var pending = Array(read.dropFirst(SnapshotHeader.byteCount))
        return { [descriptor, name] () throws(FileError) in
            if pending.isEmpty { return try Self.bytes(of: descriptor, name) }
            defer { pending = [] }
            return pending
        }
    }

    private static func bytes(of descriptor: Descriptor, _ name: String) throws(FileError) -> [UInt8] {
        try OpenedFile.read(name) { bytes in Glibc.read(descriptor.number, &bytes, bytes.count) }
    }
}
