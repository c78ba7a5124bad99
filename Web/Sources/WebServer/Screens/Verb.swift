import Daybook
import FoundationEssentials

/// What a person did on a page, by the names of Web/README.md.
struct Verb: Sendable {
    /// Whether it changes nothing, so that a server that only shows has it too.
    var isReading = false
    let perform: @MainActor @Sendable (VerbArguments, Board) async throws -> (any Encodable & Sendable)?

    init(
        isReading: Bool = false,
        _ perform: @escaping @MainActor @Sendable (VerbArguments, Board) async throws -> (any Encodable & Sendable)?
    ) {
        (self.isReading, self.perform) = (isReading, perform)
    }

    /// One that changes tasks, which are shown as pending until it is durable.
    static func onTasks(
        _ body: @escaping @MainActor @Sendable (VerbArguments, [UUID], TaskList, Context) async throws -> Void
    ) -> Verb {
        Verb { act, board in
            let ids = try act.tasks()
            try await board.pending.during(ids) { try await body(act, ids, board.session.tasks, board.store.context) }
            return nil
        }
    }

    /// One that changes anything else.
    static func on(_ body: @escaping @MainActor @Sendable (VerbArguments, Board) async throws -> Void) -> Verb {
        Verb { act, board in
            try await body(act, board)
            return nil
        }
    }
}

enum Verbs {
    static let all: [String: Verb] = tasks.merging(details) { first, _ in first }
        .merging(lists) { first, _ in first }.merging(journals) { first, _ in first }
}

/// The body of a request. Each verb needs some of it.
struct VerbArguments: Decodable, Sendable {
    var page: String?
    var id: String?
    var ids: [String]?
    var text: String?
    var view: String?
    var plain: Bool?
    var day: String?
    var place: Place?
    var `in`: String?
    var notes: String?
    var category: String?
    var tags: [String]?
    var priority: String?
    var list: String?
    var blocker: String?
    var region: String?
    var bucket: String?
    var on: Bool?
    var name: String?
    var color: String?
    var thread: String?
    var entry: String?
    var field: String?
    var value: String?
    var code: String?

    /// Where a dragged row was dropped.
    struct Place: Decodable, Sendable {
        let place: OrderPosition<UUID>

        init(from decoder: any Decoder) throws {
            if let word = try? decoder.singleValueContainer().decode(String.self) {
                switch word {
                case "first": place = .first
                case "last": place = .last
                default: throw InvalidRequest("There is no such place.")
                }
                return
            }
            let beside = try decoder.singleValueContainer().decode([String: String].self)
            if let id = beside["before"] {
                place = .before(try uuid(id))
            } else if let id = beside["after"] {
                place = .after(try uuid(id))
            } else {
                throw InvalidRequest("There is no such place.")
            }
        }
    }

    /// What a verb cannot do without.
    func require<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw InvalidRequest("Something is missing in this request: load the page again.") }
        return value
    }

    /// The tasks that are meant.
    func tasks() throws -> [UUID] {
        if let id { return [try uuid(id)] }
        return try require(ids).map(uuid)
    }

    /// The one task that is meant.
    func task() throws -> UUID {
        let ids = try tasks()
        guard ids.count == 1 else { throw InvalidRequest("One task is expected: load the page again.") }
        return ids[0]
    }

    /// The day that is meant: a word of the page, or one that a person has typed.
    func when(in context: Context) throws -> TaskDay {
        switch try require(day) {
        case "inbox", "": .inbox
        case "today": .today
        case "tomorrow": .tomorrow
        case let text: .on(try Self.typed { () throws(DatePhraseError) in try Day(parsing: text, in: context) })
        }
    }

    /// A moment that a person has typed; nil for an empty text.
    func moment(in context: Context) throws -> CivilMoment? {
        let text = (try require(text)).trimmed
        guard !text.isEmpty else { return nil }
        return try Self.typed { () throws(DatePhraseError) in try CivilMoment(parsing: text, in: context) }
    }

    /// Reads what a person has typed: the error says what is possible.
    static func typed<Value>(_ parse: () throws -> Value) throws -> Value {
        do {
            return try parse()
        } catch let error as DatePhraseError {
            throw Problem(code: "date", text: error.description, remedy: Remedy.change.rawValue)
        } catch let error as RecurrenceError {
            throw Problem(code: "rule", text: error.description, remedy: Remedy.change.rawValue)
        }
    }
}

extension String {
    /// Without white space around it.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
