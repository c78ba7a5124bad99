import Daybook
import Foundation
import Testing

@testable import WebServer

/// A record of an application's own, with an index of each kind of key.
struct Book: Record, Equatable {
    enum Shelf: UInt8, CaseIterable { case wanted, reading, finished }

    var id: UUID
    var title: String
    var shelf = Shelf.wanted
    var pages: Int64 = 0
    var addedAt = Instant(secondsSince1970: 0)
    var tags: [String] = []

    static let byTitle = Index<Book, TextKey>("byTitle") { TextKey($0.title) }
    static let newest = Index<Book, Descending<Instant>>("newest") { Descending($0.addedAt) }
    static let byTag = Index<Book, TextKey>(each: "byTag") { $0.tags.map { TextKey($0) } }
    static let byShelf = Index<Book, Compound<UInt8, Int64>>("byShelf") { Compound($0.shelf.rawValue, $0.pages) }

    static let collection = RecordCollection<Book>("books") {
        Field(1, "title", .text)
        Field(2, "shelf", .cases(of: Shelf.self))
        Field(3, "pages", .integer)
        Field(4, "addedAt", .instant)
        Field(5, "tags", .text)
        byTitle
        newest
        byTag
        byShelf
    }

    init(_ number: Int, _ title: String, _ shelf: Shelf = .wanted, pages: Int64 = 0, tags: [String] = []) {
        id = UUID(high: 7, low: UInt64(number))
        (self.title, self.shelf, self.pages, self.tags) = (title, shelf, pages, tags)
        addedAt = Instant(secondsSince1970: Int64(1_770_000_000 + number * 86_400))
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        title = try fields.string(1)
        shelf = try fields.optionalByte(2).flatMap(Shelf.init) ?? .wanted
        pages = try fields.optionalInt64(3) ?? 0
        addedAt = try fields.instant(4)
        tags = try fields.optionalString(5)?.split(separator: "\n").map(String.init) ?? []
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, title)
        fields.put(2, shelf.rawValue)
        fields.put(3, pages)
        fields.put(4, addedAt)
        fields.put(5, tags.isEmpty ? nil : tags.joined(separator: "\n"))
    }
}

/// A store in a temporary folder, and its inside.
final class InsideStore: Sendable {
    let folder: String
    let store: DaybookStore
    /// The program that does jobs; nil for this process.
    let program: String?

    init(_ records: Schema = Schema(), in other: InsideStore? = nil, program: String? = nil) throws {
        self.program = program
        folder = other?.folder ?? "\(FileManager.default.temporaryDirectory.path)/inside-\(UUID().uuidString)"
        store = try DaybookStore.open(at: folder + "/store", records: records)
    }

    /// Closes the store and opens it as a program that has no record type of an application.
    func asStranger() throws -> InsideStore {
        store.close()
        return try InsideStore(in: self)
    }

    func remove() {
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var inspector: StoreInspector { StoreInspector(store: store, program: program) }

    func get(_ path: String..., query: [String: String] = [:]) async throws -> JSONTree {
        try await ask(WebRequest(path: path, query: query))
    }

    func post(_ path: String..., body: [String: String] = [:]) async throws -> JSONTree {
        try await ask(WebRequest(changes: true, path: path, body: JSONEncoder().encode(body)))
    }

    private func ask(_ request: WebRequest) async throws -> JSONTree {
        let answer = try await inspector.answer(request)
        try #require(answer.status == 200)
        return try JSONTree(JSONSerialization.jsonObject(with: answer.body, options: .fragmentsAllowed))["value"]
    }

    /// Starts a job, and waits for its end.
    func run(_ kind: String, _ body: [String: String] = [:]) async throws -> JSONTree {
        var job = try await post("jobs", kind, body: body)
        while job["phase"] == .text("running") {
            try await Task.sleep(for: .milliseconds(5))
            job = try await get("jobs", job["id"].string)
        }
        return job
    }
}

extension JSONTree {
    init(_ value: Any) {
        switch value {
        case let object as [String: Any]: self = .object(object.mapValues { JSONTree($0) })
        case let list as [Any]: self = .list(list.map { JSONTree($0) })
        case let text as String: self = .text(text)
        case let number as NSNumber:
            self = CFBoolean.isBoolean(number) ? .flag(number.boolValue) : .number(number.intValue)
        default: self = .null
        }
    }

    var list: [JSONTree] { if case .list(let list) = self { list } else { [] } }
    var string: String { if case .text(let text) = self { text } else { "" } }
    var int: Int { if case .number(let number) = self { number } else { -1 } }
    /// The texts of shown values.
    var texts: [String] { list.map { $0["text"].string } }
}

private enum CFBoolean {
    static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }
}
