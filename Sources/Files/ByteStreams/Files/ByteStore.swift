/// The bytes of a file that may be read more than once.
package protocol ByteStore: AnyObject {
    /// How many there are, where that is known before they are read.
    var count: Int? { get }

    /// Some bytes from an offset on that is not beyond what was read before; empty at the end.
    func bytes(at offset: Int) throws(FileError) -> [UInt8]
}

/// Bytes that stand in memory.
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
