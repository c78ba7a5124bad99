import CPostgres
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a test lets happen at a statement.
public enum PostgresFault: Sendable, Hashable {
    /// The statement fails with a SQLSTATE, and is not carried out.
    case before(state: String)
    /// The statement is carried out, and then reported as failed.
    case after(state: String)
    /// The connection ends before the statement.
    case disconnectBefore
    /// The statement is carried out, and its answer is lost with the connection.
    case disconnectAfter
}

/// Sees each statement before it is sent: for tests.
public typealias PostgresProbe = @Sendable (String) -> PostgresFault?

/// One connection by libpq, used by one thread at a time.
///
/// Statements go out together and their results come back together (pipeline mode), which is one round trip for all.
final class PostgresConnection {
    private let connection: OpaquePointer
    private let socket: SocketGuard
    private let probe: PostgresProbe?
    private var prepared: [String: String] = [:]
    private var isFinished = false
    private let warnings = Warnings()

    /// Connects.
    ///
    /// - Parameters:
    ///   - url: A URI or a list of keywords, as libpq takes it.
    ///   - socket: Where the socket can be shut down from by another thread.
    init(url: String, socket: SocketGuard, probe: PostgresProbe?) throws(PostgresError) {
        self.socket = socket
        self.probe = probe
        // What comes after the URL's place wins over it; a timeout in the URL wins over this one.
        let keywords = ["connect_timeout", "application_name", "dbname", "client_encoding"]
        let values = ["5", "daybook-hub", url, "UTF8"]
        let opened = Self.withCStrings(keywords) { keywords in
            Self.withCStrings(values) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let opened else { throw .connectionLost }
        connection = opened
        guard PQstatus(opened) == CONNECTION_OK else {
            close()
            throw .connectionLost
        }
        // Notices and errors may quote values: neither is printed, nor kept as text.
        PQsetNoticeReceiver(opened, Warnings.receive, Unmanaged.passUnretained(warnings).toOpaque())
        PQsetErrorVerbosity(opened, PQERRORS_SQLSTATE)
        socket.attach(PQsocket(opened))
        guard PQenterPipelineMode(opened) == 1 else {
            close()
            throw .connectionLost
        }
    }

    /// Whether it can be used.
    var isOpen: Bool { PQstatus(connection) == CONNECTION_OK }

    /// Whether the server has warned of something since `forgetWarnings`.
    var hasWarned: Bool { warnings.haveArrived }

    /// Begins to watch for warnings.
    func forgetWarnings() { warnings.haveArrived = false }

    /// The socket, to wait for what the server sends by itself.
    var descriptor: Int32 { PQsocket(connection) }

    /// The texts of notifications that have arrived.
    func notifications() throws(PostgresError) -> [String] {
        guard !isFinished, PQconsumeInput(connection) == 1 else { throw lost() }
        var texts: [String] = []
        while let notification = PQnotifies(connection) {
            if let text = notification.pointee.extra { texts.append(String(cString: text)) }
            PQfreemem(notification)
        }
        return texts
    }

    /// Ends the connection.
    func close() {
        guard !isFinished else { return }
        isFinished = true
        socket.detach()
        PQfinish(connection)
    }

    deinit { close() }

    /// Runs statements in one round trip. Without a transaction around them they are one themselves.
    ///
    /// - Throws: the error of the first statement that failed; those after it were not carried out.
    func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
        guard !isFinished, isOpen else { throw .connectionLost }
        var fault: PostgresFault?
        if let probe {
            for statement in statements where fault == nil { fault = probe(statement.text) }
        }
        switch fault {
        case .before(let state): throw .server(state: state)
        case .disconnectBefore:
            close()
            throw .connectionLost
        default: break
        }
        let results = try exchange(statements)
        switch fault {
        case .after(let state): throw .server(state: state)
        case .disconnectAfter:
            close()
            throw .connectionLost
        default: return results
        }
    }

    private enum Sent {
        case preparation(of: String, name: String)
        case statement
    }

    private func exchange(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
        var sent: [Sent] = []
        var names: [String: String] = [:]
        for statement in statements {
            guard statement.isPrepared else {
                guard PQsendQueryParams(connection, statement.text, 0, nil, nil, nil, nil, 1) == 1 else {
                    throw lost()
                }
                sent.append(.statement)
                continue
            }
            var name = prepared[statement.text] ?? names[statement.text]
            if name == nil {
                let new = "s\(prepared.count + names.count)"
                let types = statement.values.map { Oid($0.type) }
                guard PQsendPrepare(connection, new, statement.text, Int32(types.count), types) == 1 else {
                    throw lost()
                }
                names[statement.text] = new
                sent.append(.preparation(of: statement.text, name: new))
                name = new
            }
            guard let name, send(statement, as: name) else { throw lost() }
            sent.append(.statement)
        }
        guard PQpipelineSync(connection) == 1 else { throw lost() }
        return try receive(sent)
    }

    private func send(_ statement: PostgresStatement, as name: String) -> Bool {
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        for value in statement.values {
            let encoded = value.encoded
            offsets.append(encoded == nil ? nil : bytes.count)
            lengths.append(Int32(encoded?.count ?? 0))
            bytes += encoded ?? []
        }
        // Never empty, so that there is an address for values without bytes.
        bytes.append(0)
        let formats = [Int32](repeating: 1, count: lengths.count)
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { buffer in
                let pointers = offsets.map { offset in offset.flatMap { buffer.baseAddress?.advanced(by: $0) } }
                return PQsendQueryPrepared(connection, name, Int32(lengths.count), pointers, lengths, formats, 1) == 1
            }
        }
    }

    private func receive(_ sent: [Sent]) throws(PostgresError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        var failure: PostgresError?
        for item in sent {
            guard let answer = PQgetResult(connection) else { throw lost() }
            defer { PQclear(answer) }
            switch PQresultStatus(answer) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                switch item {
                case .preparation(let text, let name): prepared[text] = name
                case .statement: results.append(Self.result(answer))
                }
            case PGRES_PIPELINE_ABORTED: break
            default:
                if !isOpen { throw lost() }
                let state = PQresultErrorField(answer, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
                failure = failure ?? .server(state: state ?? "XX000")
            }
            // The results of each statement end with none.
            while let more = PQgetResult(connection) {
                PQclear(more)
                if !isOpen { throw lost() }
            }
        }
        guard let end = PQgetResult(connection) else { throw lost() }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw lost() }
        if let failure { throw failure }
        return results
    }

    private func lost() -> PostgresError {
        close()
        return .connectionLost
    }

    private static func result(_ answer: OpaquePointer) -> PostgresResult {
        let columns = PQnfields(answer)
        let rows = (0..<PQntuples(answer)).map { row in
            PostgresRow(
                columns: (0..<columns).map { column in
                    guard PQgetisnull(answer, row, column) == 0, let start = PQgetvalue(answer, row, column) else {
                        return nil
                    }
                    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(answer, row, column))))
                })
        }
        return PostgresResult(
            rows: rows, affected: Int(String(cString: PQcmdTuples(answer))) ?? 0,
            tag: String(cString: PQcmdStatus(answer)))
    }

    /// Lends texts as an array of C strings that ends with a null pointer.
    private static func withCStrings(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> OpaquePointer?
    ) -> OpaquePointer? {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { $0.baseAddress.flatMap(body) }
    }
}

/// The warnings of a server, of which only their arrival is kept.
private final class Warnings {
    var haveArrived = false

    /// What libpq calls on the thread that uses the connection, with an instance as the argument.
    static let receive: PQnoticeReceiver = { argument, notice in
        // The severity in English, whatever the server's language.
        guard let argument, let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))),
            String(cString: severity) == "WARNING"
        else { return }
        Unmanaged<Warnings>.fromOpaque(argument).takeUnretainedValue().haveArrived = true
    }
}

/// The socket of a connection, which another thread may shut down when a deadline has passed: libpq has no other way to end
/// a wait of its own.
final class SocketGuard: Sendable {
    private struct State {
        var socket: Int32?
        var deadline: ContinuousClock.Instant?
        var hasExpired = false
    }

    private let state = Mutex(State())

    func attach(_ socket: Int32) { state.withLock { $0.socket = socket } }

    /// Before the socket is closed, since its number may be given to another one then.
    func detach() { state.withLock { $0.socket = nil } }

    func begin(deadline: ContinuousClock.Instant) {
        state.withLock {
            $0.deadline = deadline
            $0.hasExpired = false
        }
    }

    func end() { state.withLock { $0.deadline = nil } }

    var hasExpired: Bool { state.withLock { $0.hasExpired } }

    /// Shuts the socket down if the deadline has passed.
    func check(now: ContinuousClock.Instant) {
        state.withLock {
            guard let deadline = $0.deadline, deadline <= now else { return }
            $0.hasExpired = true
            if let socket = $0.socket { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }
}
