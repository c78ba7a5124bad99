import ByteStreams
import Crypto

/// The bytes of a snapshot's body, read forwards, with the running hash of what was read.
struct SnapshotSource {
    package typealias Read = () throws(FileError) -> [UInt8]

    private let read: Read
    private var buffer: [UInt8] = []
    private var position = 0
    private var hash = SHA256()
    /// Where in the file the next byte is.
    private(set) var offset = SnapshotHeader.byteCount

    init(_ header: SnapshotHeader, _ read: @escaping Read) {
        self.read = read
        hash.update(data: header.bytes)
    }

    /// The hash of the header and of all that was taken.
    var digest: [UInt8] { Array(hash.finalize()) }

    /// The next bytes; nil when there are not so many. Room is taken as they come, not as they are promised.
    mutating func take(_ count: Int) throws(FileError) -> [UInt8]? {
        var taken: [UInt8] = []
        while taken.count < count {
            if position == buffer.count {
                buffer = try read()
                position = 0
                if buffer.isEmpty { return nil }
            }
            let piece = min(count - taken.count, buffer.count - position)
            if piece == buffer.count, taken.isEmpty, piece == count {
                taken = buffer
            } else {
                taken.append(contentsOf: buffer[position..<position + piece])
            }
            position += piece
        }
        offset += count
        return taken
    }

    /// The same, and they count for the hash.
    mutating func takeHashed(_ count: Int) throws(FileError) -> [UInt8]? {
        guard let taken = try take(count) else { return nil }
        hash.update(data: taken)
        return taken
    }

    mutating func isAtEnd() throws(FileError) -> Bool {
        if position == buffer.count {
            buffer = try read()
            position = 0
        }
        return buffer.isEmpty
    }
}
