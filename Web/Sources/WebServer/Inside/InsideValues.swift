import Daybook
import FoundationEssentials

/// JSON that is put together: the answers of the store's inside have many shapes, each used once.
enum JSONTree: Encodable, Sendable, Equatable {
    case null
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([JSONTree])
    case object([String: JSONTree])

    static func text(_ text: String?) -> JSONTree { text.map { .text($0) } ?? .null }
    static func list(_ texts: [String]) -> JSONTree { .list(texts.map { .text($0) }) }
    static func number(_ number: UInt64) -> JSONTree { .number(Int(clamping: number)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    subscript(_ key: String) -> JSONTree { if case .object(let object) = self { object[key] ?? .null } else { .null } }
}

/// Shows stored values as text.
struct ValueText {
    /// How much of a text is in a table, and of bytes.
    static let (textLimit, byteLimit) = (300, 16)
    /// How much of a text is in the page of a record: an answer stays bounded.
    static let wholeTextLimit = 1_000_000

    let zone: Zone
    /// Whether long values are shown in full.
    var isWhole = false

    /// `{"kind", "text"}`, with `"cut"` if it is shortened, and `"title"` for what else is known of it.
    func json(_ value: StoreInspection.Value) -> JSONTree {
        var (kind, text, title): (String, String, String?) = ("number", "", nil)
        switch value {
        case .none: (kind, text) = ("none", "none")
        case .text(let whole): return shortened(whole)
        case .bytes(let bytes):
            let shown = bytes.prefix(isWhole ? 4096 : Self.byteLimit)
            kind = "bytes"
            text = "\(bytes.count) bytes: \(Array(shown).hexadecimal)\(shown.count < bytes.count ? "…" : "")"
        case .integer(let number): text = "\(number)"
        case .unsigned(let number): text = "\(number)"
        case .double(let number): text = "\(number)"
        case .boolean(let flag): (kind, text) = ("boolean", flag ? "true" : "false")
        case .instant(let instant): (kind, text, title) = ("instant", self.text(of: instant), instant.description)
        case .day(let day): (kind, text) = ("day", day.description)
        case .uuid(let id): (kind, text) = ("uuid", id.uuidString.lowercased())
        case .enumeration(let raw, let name): (kind, text, title) = ("enumeration", name ?? "\(raw)", "\(raw)")
        }
        return .object(["kind": .text(kind), "text": .text(text), "title": .text(title)])
    }

    private func shortened(_ whole: String) -> JSONTree {
        let limit = isWhole ? Self.wholeTextLimit : Self.textLimit
        let shown = whole.prefix(limit)
        guard shown.endIndex < whole.endIndex else { return .object(["kind": .text("text"), "text": .text(whole)]) }
        return .object([
            "kind": .text("text"), "text": .text(String(shown) + "…"), "cut": .flag(true),
            "title": .text("\(whole.utf8.count) bytes"),
        ])
    }

    /// The moment in the zone, such as `2026-02-10 09:15:00`.
    func text(of instant: Instant) -> String {
        let local = instant.advanced(bySeconds: Int64(zone.offsetSeconds(at: instant))).description
        return local.replacing("T", with: " ").replacing("Z", with: "")
    }
}

extension StoreInspection.StoredField {
    /// The name, or the number.
    var shownName: String { name ?? "field \(number)" }
}

extension [UInt8] {
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The bytes of hexadecimal digits; nil for other text.
    init?(hexadecimal text: String) {
        let digits = text.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }
}

extension Int {
    /// A size as the command line shows it: `6.8 MB`.
    var asBytes: String {
        var value = Double(self)
        for unit in ["bytes", "kB", "MB", "GB"] {
            if abs(value) < 1000 || unit == "GB" {
                return unit == "bytes" ? "\(self) bytes" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1000
        }
        return "\(self) bytes"
    }

    /// `1 record`, `12 records`.
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
