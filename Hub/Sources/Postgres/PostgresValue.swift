/// A value that is sent with a statement, in the binary format.
public enum PostgresValue: Sendable, Hashable {
    /// `int2`
    case int2(Int16)
    /// `int8`, or null
    case int8(Int64?)
    /// `bytea`
    case bytes([UInt8])
    /// `uuid`, of 16 bytes
    case uuid([UInt8])
    /// `bool`
    case bool(Bool)
    /// `text`
    case text(String)
    /// `uuid[]`
    case uuids([[UInt8]])

    /// The number of the type: the same in every database that speaks the protocol.
    var type: UInt32 {
        switch self {
        case .int2: 21
        case .int8: 20
        case .bytes: 17
        case .uuid: 2950
        case .bool: 16
        case .text: 25
        case .uuids: 2951
        }
    }

    /// The bytes; nil for null.
    var encoded: [UInt8]? {
        switch self {
        case .int2(let value): return Self.bigEndian(value)
        case .int8(let value): return value.map { Self.bigEndian($0) }
        case .bytes(let bytes), .uuid(let bytes): return bytes
        case .bool(let value): return [value ? 1 : 0]
        case .text(let text): return Array(text.utf8)
        case .uuids(let list):
            // Dimensions, whether there are nulls, the type of the elements; then the length and the first index.
            var bytes = Self.bigEndian(Int32(list.isEmpty ? 0 : 1)) + Self.bigEndian(Int32(0))
            bytes += Self.bigEndian(Int32(2950))
            guard !list.isEmpty else { return bytes }
            bytes += Self.bigEndian(Int32(list.count)) + Self.bigEndian(Int32(1))
            for id in list { bytes += Self.bigEndian(Int32(id.count)) + id }
            return bytes
        }
    }

    private static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        stride(from: Value.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> Value($0)) }
    }
}

/// A statement with its values.
public struct PostgresStatement: Sendable, Hashable {
    /// The text, with `$1`, `$2`, …
    public let text: String
    /// The values.
    public let values: [PostgresValue]
    /// Whether the server keeps it parsed: not for what runs once or takes no values.
    let isPrepared: Bool

    /// A statement that is prepared once for each connection.
    public init(_ text: String, _ values: [PostgresValue] = []) {
        self.text = text
        self.values = values
        isPrepared = true
    }

    /// A statement that is sent as it is: BEGIN, COMMIT, definitions.
    public init(unprepared text: String) {
        self.text = text
        values = []
        isPrepared = false
    }
}

/// What a statement returned.
public struct PostgresResult: Sendable {
    /// The rows.
    public let rows: [PostgresRow]
    /// How many rows were changed.
    public let affected: Int
    /// What was done, as the server calls it: `COMMIT`, or `ROLLBACK` where a commit was not possible.
    let tag: String
}

/// A row, with its values in the binary format.
public struct PostgresRow: Sendable {
    let columns: [[UInt8]?]

    /// A signed integer of 2, 4 or 8 bytes.
    ///
    /// - Throws: `PostgresError.unexpectedValue`, as all others, for null and for another type.
    public func integer(_ column: Int) throws(PostgresError) -> Int64 {
        guard let value = try optionalInteger(column) else { throw .unexpectedValue }
        return value
    }

    /// A signed integer or null.
    public func optionalInteger(_ column: Int) throws(PostgresError) -> Int64? {
        guard let bytes = columns[column] else { return nil }
        guard [2, 4, 8].contains(bytes.count) else { throw .unexpectedValue }
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = UInt64(64 - bytes.count * 8)
        return Int64(bitPattern: bits << unused) >> Int64(unused)
    }

    /// Bytes, or the bytes of an id.
    public func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        guard let bytes = columns[column] else { throw .unexpectedValue }
        return bytes
    }

    /// A Boolean.
    public func bool(_ column: Int) throws(PostgresError) -> Bool {
        guard let bytes = columns[column], bytes.count == 1 else { throw .unexpectedValue }
        return bytes[0] != 0
    }
}

/// What can go wrong. Never carries a text of the server, which may contain values.
public enum PostgresError: Error, Sendable, Hashable {
    /// The server refused a statement, with this SQLSTATE.
    case server(state: String)
    /// The connection ended, or did not come about, and nothing was committed.
    case connectionLost
    /// The connection ended during a commit, or the server does not know its outcome itself.
    case outcomeUnknown
    /// A value of another type than expected.
    case unexpectedValue
    /// The pool was closed.
    case closed

    /// Whether the same transaction may succeed when it runs again: it lost against another one.
    public var isConflict: Bool {
        switch self {
        // Serialization failure, deadlock; unique violation: another transaction inserted the same row.
        case .server(let state): ["40001", "40P01", "23505"].contains(state)
        default: false
        }
    }

    /// Whether the connection is of no more use, while a new one may lead to another server, or to the same one after its start.
    var endsConnection: Bool {
        switch self {
        case .connectionLost: true
        // A server that was the primary and is read-only now keeps its connections. Shut down, crashed, not started yet; class 08 is
        // of connections.
        case .server(let state): state.hasPrefix("08") || ["25006", "57P01", "57P02", "57P03"].contains(state)
        default: false
        }
    }
}
