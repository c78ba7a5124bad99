import FoundationEssentials

/// Some spaces, by the first two bytes of their ids.
public struct SpaceRange: Sendable, Hashable {
    /// The least value of both bytes.
    public let first: Int
    /// The greatest.
    public let last: Int

    /// How many values there are.
    public static let count = 1 << 16

    /// All spaces.
    public static let all = SpaceRange(first: 0, last: count - 1)

    private init(first: Int, last: Int) {
        self.first = first
        self.last = last
    }

    /// Reads `FIRST-LAST`, in four hexadecimal digits each; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isHexDigit) }),
            let first = Int(parts[0], radix: 16), let last = Int(parts[1], radix: 16), first <= last
        else { return nil }
        self.init(first: first, last: last)
    }

    /// Both bytes as text.
    public static func text(_ value: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether a space is one of them.
    public func contains(_ space: UUID) -> Bool { first...last ~= Self.value(of: space) }

    static func value(of space: UUID) -> Int { Int(space.uuid.0) << 8 | Int(space.uuid.1) }

    /// The greatest id before all of them; nil if there is none.
    var before: UUID? {
        guard first > 0 else { return nil }
        let value = first - 1
        let bytes = [UInt8(value >> 8), UInt8(value & 0xFF)] + [UInt8](repeating: 0xFF, count: 14)
        return UUID(bytes: bytes)
    }
}
