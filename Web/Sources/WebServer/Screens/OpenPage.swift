import Daybook
import FoundationEssentials

/// What a page wants to see of a part.
struct PartRequest: Codable, Sendable, Hashable {
    /// The part's name.
    var part: String
    /// Where the window of a long list begins, and how many items it has.
    var from: Int?
    var count: Int?
    /// What is searched for.
    var text: String?
    var openOnly: Bool?

    /// The window, bounded: a page that asks for everything gets what fits a screen many times.
    var window: Range<Int> {
        let from = max(0, from ?? 0)
        return from..<from + min(max(1, count ?? 100), 500)
    }
}

/// A page that is open in a browser, and what it was sent.
@MainActor
final class OpenPage {
    let id: String
    private let events: AsyncStream<Data>.Continuation
    /// What it shows, by the names of parts.
    var requests: [String: PartRequest] = [:]
    /// What was sent last of each part, so that the same is not sent twice, and of each row of its window.
    private var sent: [String: Int] = [:]
    private var rows: [String: [UUID: Int]] = [:]
    /// The offer to undo that the page shows.
    var knownOffer: UInt64?

    init(id: String, _ events: AsyncStream<Data>.Continuation) { (self.id, self.events) = (id, events) }

    /// Says what the page shows from now on. What is shown already is sent again only where it changes.
    func show(_ parts: [PartRequest]) {
        requests = Dictionary(parts.map { ($0.part, $0) }, uniquingKeysWith: { $1 })
        for name in sent.keys where requests[name] == nil { (sent[name], rows[name]) = (nil, nil) }
    }

    /// The rows that the page does not have as they are now.
    func news(in shown: [Row], of part: String) -> [String: Row] {
        let known = rows[part] ?? [:]
        var now: [UUID: Int] = [:]
        var news: [String: Row] = [:]
        for row in shown {
            let digest = row.hashValue
            now[row.uuid] = digest
            if known[row.uuid] != digest { news[row.id] = row }
        }
        rows[part] = now
        return news
    }

    /// Sends the state of a part, unless the page has it.
    ///
    /// - Parameter state: Does not have rows that the page has already: what has no other news, but rows, is sent as well.
    func send(_ state: PartState, hasRows: Bool) {
        guard let json = try? Self.encoder.encode(state) else { return }
        let digest = json.hashValue
        guard hasRows || sent[state.part] != digest else { return }
        // With rows it is never what will be sent again without them.
        sent[state.part] =
            hasRows ? (try? Self.encoder.encode(AnyEncodable(value: state.withoutRows)))?.hashValue : digest
        emit("part", json)
    }

    func send(_ problem: Problem, of part: String) {
        sent[part] = nil
        send("problem", ProblemEvent(part: part, problem: problem))
    }

    func send(_ kind: String, _ event: some Encodable) {
        if let json = try? Self.encoder.encode(event) { emit(kind, json) }
    }

    func beat() { yield(EventStream.heartbeat) }

    private func emit(_ kind: String, _ json: Data) { yield(EventStream.event(kind, json)) }

    /// A page that does not read (a tab that sleeps) has to begin anew: it connects again by itself.
    private func yield(_ event: Data) {
        if case .dropped = events.yield(event) { events.finish() }
    }

    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
}

struct ProblemEvent: Encodable {
    let part: String
    let problem: Problem
}

/// The state of a part of a screen, as a page gets it.
protocol PartState: Encodable {
    var part: String { get set }
    /// The same without rows, to tell whether anything else has changed.
    var withoutRows: any PartState { get }
}

extension PartState {
    var withoutRows: any PartState { self }
}
