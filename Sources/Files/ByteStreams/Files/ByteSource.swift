/// Hands out a file's bytes part by part, however long the parts are; empty means that the file is over.
public typealias ByteSource = () throws(FileError) -> [UInt8]

/// Takes a file's bytes part by part.
public typealias ByteSink = ([UInt8]) throws(FileError) -> Void

/// The bytes of a file that stands in memory, in parts.
package func byteSource(of bytes: [UInt8], partSize: Int = 1 << 16) -> ByteSource {
    var position = 0
    return { () throws(FileError) in
        let end = min(position + partSize, bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }
}
