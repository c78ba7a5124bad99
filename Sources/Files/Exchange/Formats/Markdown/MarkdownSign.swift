/// The signs of Obsidian Tasks, and the place of a category, which has none.
enum MarkdownSign: CaseIterable {
    case id, dependsOn, priority, recurrence, onCompletion, created, start, scheduled, due, cancelled, done, category

    /// The characters that stand for it; the first is the one that is written.
    var scalars: [Unicode.Scalar] {
        switch self {
        case .id: ["🆔"]
        case .dependsOn: ["⛔"]
        case .priority: ["🔺", "⏫", "🔼", "🔽", "⏬"]
        case .recurrence: ["🔁"]
        case .onCompletion: ["🏁"]
        case .created: ["➕"]
        case .start: ["🛫"]
        case .scheduled: ["⏳", "⌛"]
        case .due: ["📅", "📆", "\u{1F5D3}"]
        case .cancelled: ["❌"]
        case .done: ["✅"]
        case .category: ["["]
        }
    }

    /// What stands in brackets, as the Dataview plugin has it: `[category:: garden]`.
    static let categoryStart = "[category::"

    private static let byScalar: [UInt32: MarkdownSign] = {
        var signs: [UInt32: MarkdownSign] = [:]
        for sign in allCases { for scalar in sign.scalars { signs[scalar.value] = sign } }
        return signs
    }()

    /// The sign that a character is.
    init?(_ scalar: UInt32) {
        guard let sign = Self.byScalar[scalar] else { return nil }
        self = sign
    }

    /// The sign that stands at a place of UTF-8 text, and where it ends.
    static func at(_ index: Int, in bytes: ArraySlice<UInt8>) -> (sign: MarkdownSign, end: Int)? {
        switch bytes[index] {
        case UInt8(ascii: "["):
            guard bytes[index...].starts(with: categoryStart.utf8) else { return nil }
            return (.category, index + categoryStart.utf8.count)
        case 0xE2 where index + 3 <= bytes.endIndex:
            let scalar = 0x2000 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
            return MarkdownSign(scalar).map { ($0, index + 3) }
        case 0xF0 where index + 4 <= bytes.endIndex:
            let high = UInt32(bytes[index + 1] & 0x3F) << 12 | UInt32(bytes[index + 2] & 0x3F) << 6
            return MarkdownSign(high | UInt32(bytes[index + 3] & 0x3F)).map { ($0, index + 4) }
        default:
            return nil
        }
    }
}
