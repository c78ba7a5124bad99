/// Tells the line of an offset. Lines are counted only when somebody asks, each part of the file once.
struct LineCounter {
    private var offset = 0
    private var line = 1

    /// The line, from 1, of an offset that is not before the one asked for last.
    mutating func line(at target: Int, in bytes: [UInt8]) -> Int {
        while offset < min(target, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
            offset += 1
        }
        return line
    }
}
