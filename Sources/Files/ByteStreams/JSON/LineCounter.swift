/// Tells the line of an offset into the bytes at hand. Lines are counted only when somebody asks or the bytes go, each
/// part of the file once.
package struct LineCounter {
    private var offset = 0
    private var line = 1

    /// The line, from 1, of an offset that is not before the one asked for last.
    package mutating func line(at target: Int, in bytes: [UInt8]) -> Int {
        let end = min(target, bytes.count)
        if offset < end {
            var ends = 0
            for byte in bytes[offset..<end] where byte == UInt8(ascii: "\n") { ends += 1 }
            line += ends
            offset = end
        }
        return line
    }

    /// Takes note that the bytes before an offset are dropped.
    package mutating func drop(_ count: Int, of bytes: [UInt8]) {
        _ = line(at: count, in: bytes)
        offset -= count
    }
}
