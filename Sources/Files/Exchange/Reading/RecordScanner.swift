import ByteStreams
import Tasks

/// Finds the records of a JSON file, independently of their meaning.
struct RecordScanner {
    typealias Interpreter = ([JSONMember]) throws(RecordProblem) -> TaskRecord
    /// Reads an object from its bytes; nil for one that has to be interpreted.
    typealias PlainReader = (_ bytes: [UInt8], _ position: Int) -> (value: TaskRecord, end: Int)?

    static let supportedVersion = 1

    /// The arrangement of the records in the file.
    enum Arrangement {
        /// One object whose `tasks` is an array of records, or that array alone; nothing after it.
        case document
        /// Objects and arrays of objects one after another, on one line or spread over several.
        case values
        /// Such objects and arrays after a first line that names Daybook and the version.
        case headedValues
    }

    /// The next element.
    private enum Place {
        case beginning
        /// A member of the document's object.
        case member(isFirst: Bool)
        /// An element of an array of records.
        case element(isFirst: Bool, isWholeDocument: Bool)
        /// A top-level value.
        case value
        case end
    }

    private let format: TaskFormat
    private let arrangement: Arrangement
    private let skipsInvalid: Bool
    private let interpret: Interpreter
    private let readPlain: PlainReader?
    private var window: JSONWindow
    private var place = Place.beginning
    /// The number of records that were begun.
    private var number = 0
    private var hasTasks = false
    /// The members of a document that begins like a task: `show --json` prints a task alone. Nil for any other.
    private var single: [JSONMember]?
    /// The task that such a document is.
    private var singleRecord: TaskRecord?
    /// The lists that the document described before its tasks.
    private var lists: ArraySlice<CustomList> = []

    init(
        _ window: JSONWindow, format: TaskFormat, _ arrangement: Arrangement, skipsInvalid: Bool,
        readPlain: PlainReader? = nil, _ interpret: @escaping Interpreter
    ) {
        self.readPlain = readPlain
        self.window = window
        self.format = format
        self.arrangement = arrangement
        self.skipsInvalid = skipsInvalid
        self.interpret = interpret
    }

    /// The next record; nil at the end.
    mutating func next() throws(FileError) -> TaskRecord? {
        while true {
            if let list = lists.popFirst() { return .list(list) }
            if let record = singleRecord.take() { return record }
            switch place {
            case .beginning: try begin()
            case .member(let isFirst): try goToTasks(isFirst: isFirst)
            case .element(let isFirst, let isWholeDocument):
                if let record = try element(isFirst: isFirst, isWholeDocument: isWholeDocument) { return record }
            case .value: if let record = try value() { return record }
            case .end: return nil
            }
        }
    }

    private mutating func begin() throws(FileError) {
        switch arrangement {
        case .document:
            if try window.peek() == UInt8(ascii: "[") {
                try beginArray(isWholeDocument: true)
            } else {
                try parse { (parser) throws(JSONParser.Failure) in try parser.beginObject() }
                place = .member(isFirst: true)
            }
        case .values:
            place = .value
        case .headedValues:
            try readHeader()
            place = .value
        }
    }

    /// The first line of a file of Daybook's own lines.
    private mutating func readHeader() throws(FileError) {
        let reason = #"the first line must be {"format":"daybook","version":1}"#
        let value = try parse { (parser) throws(JSONParser.Failure) in try parser.value() }
        guard case .object(let members) = value, members["format"] == .string("daybook"),
            case .number(let digits)? = members["version"], let version = Int(digits)
        else { throw .malformed(format: format, line: 1, reason: reason) }
        if version > Self.supportedVersion {
            throw .newerVersion(found: version, supported: Self.supportedVersion)
        }
    }

    /// Advances to the next array of tasks in the document, or to its end.
    private mutating func goToTasks(isFirst: Bool) throws(FileError) {
        let key = try parse { (parser) throws(JSONParser.Failure) in try parser.nextKey(isFirst: isFirst) }
        guard let key else {
            if !hasTasks {
                guard let single, single["text"] != nil else {
                    throw malformed(window.parser.failure("`tasks` is missing"))
                }
                singleRecord = try record(of: .object(single))
            }
            return try finishDocument()
        }
        if isFirst, key == "id" { single = [] }
        if key == "tasks" {
            hasTasks = true
            try beginArray(isWholeDocument: false)
        } else {
            if key == "lists" {
                try takeLists()
            } else if single != nil {
                let value = try parse { (parser) throws(JSONParser.Failure) in try parser.value() }
                single?.append(JSONMember(key: key, value: value))
            } else {
                try parse { (parser) throws(JSONParser.Failure) in try parser.skipValue() }
            }
            place = .member(isFirst: false)
        }
    }

    /// Takes the lists that a document describes. Another program may have a key of that name: what is no list is left out.
    private mutating func takeLists() throws(FileError) {
        guard case .array(let values) = try parse({ (parser) throws(JSONParser.Failure) in try parser.value() }) else {
            return
        }
        for case .object(let members) in values {
            if let list = try? CustomList(json: members) { lists.append(list) }
        }
    }

    private mutating func finishDocument() throws(FileError) {
        if try window.peek() != nil { throw malformed(window.parser.failure("something follows the end")) }
        place = .end
    }

    private mutating func beginArray(isWholeDocument: Bool) throws(FileError) {
        try parse { (parser) throws(JSONParser.Failure) in try parser.beginArray() }
        place = .element(isFirst: true, isWholeDocument: isWholeDocument)
    }

    /// The next element; nil after the last one.
    private mutating func element(isFirst: Bool, isWholeDocument: Bool) throws(FileError) -> TaskRecord? {
        guard try parse({ (parser) throws(JSONParser.Failure) in try parser.nextElement(isFirst: isFirst) }) else {
            if arrangement != .document {
                place = .value
            } else if isWholeDocument {
                try finishDocument()
            } else {
                place = .member(isFirst: false)
            }
            return nil
        }
        place = .element(isFirst: false, isWholeDocument: isWholeDocument)
        _ = try window.peek()
        number += 1
        if let readPlain, let record = window.attempt(readPlain) { return record }
        switch try window.step({ (parser) throws(JSONParser.Failure) in try parser.value() }) {
        case .success(let value): return try record(of: value)
        case .failure(let failure): return try skipElement(failure, isWholeDocument: isWholeDocument)
        }
    }

    /// Skips an element that is not JSON, where it is clear at which byte the next one begins.
    private mutating func skipElement(
        _ failure: JSONParser.Failure, isWholeDocument: Bool
    ) throws(FileError) -> TaskRecord {
        guard skipsInvalid else { throw malformed(failure) }
        let invalid = InvalidRecord(
            line: window.line(at: window.start), reason: failure.reason, place: RecordPlace(number: number))
        // Its line is counted before the window moves on.
        let error = malformed(failure)
        window.goBack()
        switch try window.step({ (parser) throws(JSONParser.Failure) in try parser.skipInvalidElement() }) {
        case .failure: throw error
        case .success(.element): break
        case .success(.line):
            // The comma after it was in its line, or begins the next one.
            try window.skip(UInt8(ascii: ","))
            place = .element(isFirst: true, isWholeDocument: isWholeDocument)
        }
        return .invalid(invalid)
    }

    /// The next value at the top; nil when it is an array, whose elements come next, and at the end.
    private mutating func value() throws(FileError) -> TaskRecord? {
        guard let byte = try window.peek() else {
            place = .end
            return nil
        }
        if byte == UInt8(ascii: "[") {
            try beginArray(isWholeDocument: false)
            return nil
        }
        number += 1
        if let readPlain, let record = window.attempt(readPlain) {
            try window.skip(UInt8(ascii: ","))
            return record
        }
        switch try window.step({ (parser) throws(JSONParser.Failure) in try parser.value() }) {
        case .success(let value):
            let record = try record(of: value)
            // Without brackets, an option of Taskwarrior, the commas remain.
            try window.skip(UInt8(ascii: ","))
            return record
        case .failure(let failure):
            guard skipsInvalid else { throw malformed(failure) }
            let line = window.line(at: window.start)
            try window.skipLine()
            return .invalid(InvalidRecord(line: line, reason: failure.reason, place: RecordPlace(number: number)))
        }
    }

    /// Returns the record of a value.
    private mutating func record(of value: JSONValue) throws(FileError) -> TaskRecord {
        do throws(RecordProblem) {
            if let problem = window.parser.problem { throw problem }
            guard case .object(let members) = value else { throw RecordProblem("a record must be an object") }
            return try interpret(members)
        } catch {
            let line = window.line(at: window.start)
            let place = RecordPlace(number: max(number, 1), id: Self.id(of: value))
            guard skipsInvalid else { throw .invalidRecord(line: line, reason: error.reason, place: place) }
            return .invalid(InvalidRecord(line: line, reason: error.reason, place: place))
        }
    }

    /// The id of a record that is not valid. Only a UUID is one: other text is the user's.
    private static func id(of value: JSONValue) -> String? {
        guard case .object(let members) = value, let id = try? (members["id"] ?? members["uuid"])?.id("id") else {
            return nil
        }
        return id.lowercased
    }

    private mutating func parse<Value>(
        _ body: (inout JSONParser) throws(JSONParser.Failure) -> Value
    ) throws(FileError) -> Value {
        switch try window.step(body) {
        case .success(let value): return value
        case .failure(let failure): throw malformed(failure)
        }
    }

    private mutating func malformed(_ failure: JSONParser.Failure) -> FileError {
        .malformed(format: format, line: window.line(at: failure.offset), reason: failure.reason)
    }
}
