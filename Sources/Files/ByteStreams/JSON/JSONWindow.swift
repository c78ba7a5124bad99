/// A JSON parser over a file of any length: what it has of the file is a window that moves on.
///
/// A step that comes near the end of the window, whether it succeeds or fails, may come out otherwise when more of the
/// file is there. Then the window is filled up, twice as far each time, and the step is done again.
package struct JSONWindow {
    /// The longest value, in bytes. A file that is one endless value must not fill the memory.
    private let valueLimit: Int
    /// How near the end a step has to come: no word of JSON is longer.
    private static let margin = 8

    package private(set) var parser: JSONParser
    /// Where the last step began.
    package private(set) var start = 0
    private let source: ByteSource
    private let size: Int
    private var hasMore = true
    private var lines = LineCounter()

    /// Creates a window at the beginning of a file.
    ///
    /// - Parameter size: how many bytes the window has, if no value is longer.
    package init(
        _ source: @escaping ByteSource, size: Int = 1 << 18, valueLimit: Int = 32 << 20
    ) throws(FileError) {
        self.source = source
        self.size = size
        self.valueLimit = valueLimit
        var beginning: [UInt8] = []
        // A byte order mark is seen by its three bytes.
        while beginning.count < 3 {
            let part = try source()
            if part.isEmpty {
                hasMore = false
                break
            }
            beginning += part
        }
        parser = JSONParser(beginning)
    }

    /// Does one step of the parser; a failure is one of the file, not of its window.
    package mutating func step<Value>(
        _ body: (inout JSONParser) throws(JSONParser.Failure) -> Value
    ) throws(FileError) -> Result<Value, JSONParser.Failure> {
        start = parser.position
        while true {
            let mark = parser.mark
            let result: Result<Value, JSONParser.Failure>
            let reached: Int
            do throws(JSONParser.Failure) {
                result = .success(try body(&parser))
                reached = parser.position
            } catch {
                result = .failure(error)
                reached = error.offset
            }
            if !hasMore || parser.bytes.count - reached >= Self.margin { return result }
            parser.goBack(to: mark)
            guard parser.bytes.count - parser.position <= valueLimit else {
                let megabytes = valueLimit >> 20
                return .failure(parser.failure("one record is longer than \(megabytes) MiB"))
            }
            try fill()
        }
    }

    /// The next byte that is not white space; nil at the end of the file.
    package mutating func peek() throws(FileError) -> UInt8? {
        while true {
            if let byte = parser.peek() { return byte }
            guard hasMore else { return nil }
            try fill()
        }
    }

    /// Goes past one byte if it comes next after white space.
    package mutating func skip(_ byte: UInt8) throws(FileError) {
        if try peek() == byte { parser.position += 1 }
    }

    /// Goes back to the beginning of the last step and on to the end of that line.
    package mutating func skipLine() throws(FileError) {
        parser.skipLine(from: start)
        while parser.position == parser.bytes.count, hasMore {
            try fill()
            parser.skipLine(from: 0)
        }
    }

    /// The line of an offset into the window.
    package mutating func line(at offset: Int) -> Int {
        lines.line(at: offset, in: parser.bytes)
    }

    /// Drops what was read, and reads on.
    private mutating func fill() throws(FileError) {
        lines.drop(parser.position, of: parser.bytes)
        let rest = parser.bytes.count - parser.position
        let target = min(max(size, 2 * rest), max(valueLimit, rest) + Self.margin)
        parser.slide(room: target)
        start = 0
        while parser.bytes.count < target {
            let part = try source()
            if part.isEmpty {
                hasMore = false
                return
            }
            parser.append(part)
        }
    }
}
