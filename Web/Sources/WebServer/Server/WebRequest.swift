import Daybook
import FoundationEssentials

/// What a page asks for, below one of the server's paths.
struct WebRequest: Sendable {
    /// Whether it may change something: a `POST` with the page's token.
    var changes = false
    /// The components of the path after that which led here, decoded.
    var path: [String] = []
    var query: [String: String] = [:]
    /// The body of a `POST`.
    var body = Data()

    /// The body, read as JSON.
    ///
    /// - Throws: `InvalidRequest` if it is anything else.
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            throw InvalidRequest("The body is not what is expected: load the page again.")
        }
    }
}

/// A request that no page of ours sends.
struct InvalidRequest: Error, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
}

/// What the server answers.
struct WebResponse: Sendable {
    var status = 200
    var type = "application/json"
    var body = Data()

    static let missing = WebResponse(
        status: 404, type: "text/plain; charset=utf-8", body: Data("Nothing is here.\n".utf8))

    /// `{"value": …}`.
    static func value(_ value: some Encodable) throws -> WebResponse { try json(["value": value]) }

    /// Any JSON.
    static func json(_ value: some Encodable) throws -> WebResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return WebResponse(body: try encoder.encode(value))
    }

    static func svg(_ text: String) -> WebResponse { WebResponse(type: "image/svg+xml", body: Data(text.utf8)) }

    /// `{"problem": …}`.
    static func problem(_ problem: Problem) -> WebResponse {
        (try? json(["problem": problem])) ?? WebResponse(status: 500)
    }
}

/// A failure as a page shows it.
struct Problem: Codable, Sendable, Equatable, Error {
    var code: String
    var text: String
    var remedy: String

    /// What the person did failed, or something could not be loaded.
    init(_ failure: StoreFailure, _ texts: any DaybookTexts) {
        self.init(code: failure.code, text: texts.text(for: failure), remedy: failure.remedy.rawValue)
    }

    /// An error of the library, or a `Problem` as it is.
    init(_ error: any Error, during attempt: Attempt, _ texts: any DaybookTexts) {
        switch error {
        case let problem as Problem: self = problem
        case let request as InvalidRequest: self.init(code: "request", text: request.text, remedy: Remedy.none.rawValue)
        default: self.init(StoreFailure(error, during: attempt), texts)
        }
    }

    init(code: String, text: String, remedy: String) { (self.code, self.text, self.remedy) = (code, text, remedy) }
}

extension Problem {
    static let replaced = Problem(
        code: "gone", text: "The folder of the store was removed or replaced.", remedy: Remedy.restart.rawValue)
    static let readOnly = Problem(
        code: "readOnly", text: "This page only shows the store: it was started with --read-only.", remedy: "none")
}

/// Any value as JSON.
struct AnyEncodable: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

func uuid(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw InvalidRequest("An id is not what is expected: load the page again.")
    }
    return id
}
