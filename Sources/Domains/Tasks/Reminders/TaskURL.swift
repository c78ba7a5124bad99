import CivilTime
import FoundationEssentials

/// A URL by which another program creates or opens a task.
///
///     todoapp://create-task?title=Call%20Ada&list=Home&due=2026-02-11&reminder=2026-02-11T09:00:00Z
///     todoapp://open-task?id=0195…
///
/// `create` and `open?taskID=` are accepted as well.
public enum TaskURL: Sendable, Hashable {
    /// Create a task.
    case createTask(title: String, list: String? = nil, due: TaskDue? = nil, reminder: Instant? = nil)
    /// Show a task.
    case openTask(UUID)

    /// The scheme of the URLs.
    public static let scheme = "todoapp"

    /// Reads a URL. Unknown parameters are ignored.
    ///
    /// - Throws: `TaskError.badLink` with what is wrong, without any content of the URL.
    public init(parsing text: String) throws(TaskError) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == Self.scheme else {
            throw .badLink("it does not begin with \(Self.scheme)://")
        }
        let rest = parts[1].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let action = rest[0].lowercased()
        let parameters = try Self.parameters(rest.count == 2 ? rest[1] : "")
        switch action.hasSuffix("/") ? String(action.dropLast()) : action {
        case "create", "create-task":
            guard let title = parameters["title"], !title.allSatisfy(\.isWhitespace) else {
                throw .badLink("it has no title")
            }
            self = .createTask(
                title: title, list: parameters["list"] ?? parameters["listid"],
                due: try Self.due(parameters["due"] ?? parameters["duedate"]),
                reminder: try Self.instant(parameters["reminder"] ?? parameters["reminderdate"], "reminder"))
        case "open", "open-task":
            guard let id = (parameters["id"] ?? parameters["taskid"]).flatMap({ UUID(uuidString: $0) }) else {
                throw .badLink("its id is not a UUID")
            }
            self = .openTask(id)
        default: throw .badLink("its action is neither create-task nor open-task")
        }
    }

    /// The URL.
    public var text: String {
        switch self {
        case .openTask(let id): return "\(Self.scheme)://open-task?id=\(id.lowercased)"
        case .createTask(let title, let list, let due, let reminder):
            var query = "title=\(Self.encoded(title))"
            if let list { query += "&list=\(Self.encoded(list))" }
            if let due { query += "&due=\(due.text(in: .utc))" }
            if let reminder { query += "&reminder=\(reminder)" }
            return "\(Self.scheme)://create-task?\(query)"
        }
    }

    /// The parameters by their names in lower case; of several of one name the first counts.
    private static func parameters(_ query: Substring) throws(TaskError) -> [String: String] {
        var found: [String: String] = [:]
        for part in query.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(sides[0]), let value = sides.count == 2 ? decoded(sides[1]) : ""
            else { throw .badLink("its percent-encoding is not that of text in UTF-8") }
            if found[name.lowercased()] == nil { found[name.lowercased()] = value }
        }
        return found
    }

    private static func due(_ text: String?) throws(TaskError) -> TaskDue? {
        guard let text, !text.isEmpty else { return nil }
        if let day = try? Day(text) { return .day(day) }
        return try instant(text, "due").map(TaskDue.at)
    }

    private static func instant(_ text: String?, _ name: String) throws(TaskError) -> Instant? {
        guard let text, !text.isEmpty else { return nil }
        guard let instant = try? Instant(text) else {
            throw .badLink("\(name) is not an instant such as 2026-02-11T09:00:00Z")
        }
        return instant
    }

    /// Nil when a percent is not followed by two digits, or the bytes are not UTF-8.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Everything but letters, digits and `-._~` as percent and two digits (RFC 3986, 2.3).
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
