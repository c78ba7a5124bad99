/// Goes through a file and finds its records: knows JSON and lines, not what a record means.
struct RecordScanner {
    typealias Receiver = (TaskRecord) throws(ArchiveError) -> Void
    typealias Interpreter = ([JSONMember]) throws(RecordProblem) -> TaskRecord

    static let supportedVersion = 1

    private let format: TaskFormat
    private let skipsInvalid: Bool
    private var parser: JSONParser
    private var lines = LineCounter()

    init(_ bytes: [UInt8], format: TaskFormat, skipsInvalid: Bool) {
        self.format = format
        self.skipsInvalid = skipsInvalid
        parser = JSONParser(bytes)
    }

    /// One object whose `tasks` is an array of records, or that array alone; nothing after it.
    mutating func scanDocument(_ receive: Receiver, _ interpret: Interpreter) throws(ArchiveError) {
        if parser.peek() == UInt8(ascii: "[") {
            try scanArray(receive, interpret)
        } else {
            try parse { (parser) throws(JSONParser.Failure) in try parser.beginObject() }
            var hasTasks = false
            var isFirst = true
            while let key = try parse({ (parser) throws(JSONParser.Failure) in try parser.nextKey(isFirst: isFirst) }) {
                isFirst = false
                if key == "tasks" {
                    hasTasks = true
                    try scanArray(receive, interpret)
                } else {
                    try parse { (parser) throws(JSONParser.Failure) in try parser.skipValue() }
                }
            }
            if !hasTasks { throw malformed(parser.failure("`tasks` is missing")) }
        }
        if parser.peek() != nil { throw malformed(parser.failure("something follows the end")) }
    }

    /// The first line of a file of Daybook's own lines.
    mutating func scanHeader() throws(ArchiveError) {
        let reason = #"the first line must be {"format":"daybook","version":1}"#
        let value = try parse { (parser) throws(JSONParser.Failure) in try parser.value() }
        guard case .object(let members) = value, members["format"] == .string("daybook"),
            case .number(let digits)? = members["version"], let version = Int(digits)
        else { throw .malformed(format: format, line: 1, reason: reason) }
        if version > Self.supportedVersion {
            throw .newerVersion(found: version, supported: Self.supportedVersion)
        }
    }

    /// Objects and arrays of objects one after another, on one line or spread over several.
    mutating func scanValues(_ receive: Receiver, _ interpret: Interpreter) throws(ArchiveError) {
        while let byte = parser.peek() {
            if byte == UInt8(ascii: "[") {
                try scanArray(receive, interpret)
                continue
            }
            let start = parser.position
            let value: JSONValue
            do throws(JSONParser.Failure) {
                value = try parser.value()
            } catch {
                guard skipsInvalid else { throw malformed(error) }
                try receive(.invalid(InvalidRecord(line: line(at: start), reason: error.reason)))
                parser.skipLine(from: start)
                continue
            }
            try deliver(value, from: start, receive, interpret)
            // Taskwarrior can be told to leave out the brackets; it leaves the commas.
            _ = parser.skip(UInt8(ascii: ","))
        }
    }

    private mutating func scanArray(_ receive: Receiver, _ interpret: Interpreter) throws(ArchiveError) {
        try parse { (parser) throws(JSONParser.Failure) in try parser.beginArray() }
        var isFirst = true
        while try parse({ (parser) throws(JSONParser.Failure) in try parser.nextElement(isFirst: isFirst) }) {
            isFirst = false
            _ = parser.peek()
            let start = parser.position
            let value = try parse { (parser) throws(JSONParser.Failure) in try parser.value() }
            try deliver(value, from: start, receive, interpret)
        }
    }

    private mutating func deliver(
        _ value: JSONValue, from start: Int, _ receive: Receiver, _ interpret: Interpreter
    ) throws(ArchiveError) {
        let record: TaskRecord
        do throws(RecordProblem) {
            if let problem = parser.problem { throw problem }
            guard case .object(let members) = value else { throw RecordProblem("a record must be an object") }
            record = try interpret(members)
        } catch {
            let line = line(at: start)
            guard skipsInvalid else { throw .invalidRecord(line: line, reason: error.reason) }
            return try receive(.invalid(InvalidRecord(line: line, reason: error.reason)))
        }
        try receive(record)
    }

    private mutating func parse<Value>(
        _ body: (inout JSONParser) throws(JSONParser.Failure) -> Value
    ) throws(ArchiveError) -> Value {
        do throws(JSONParser.Failure) {
            return try body(&parser)
        } catch {
            throw malformed(error)
        }
    }

    private mutating func malformed(_ failure: JSONParser.Failure) -> ArchiveError {
        .malformed(format: format, line: line(at: failure.offset), reason: failure.reason)
    }

    private mutating func line(at offset: Int) -> Int {
        lines.line(at: offset, in: parser.bytes)
    }
}
