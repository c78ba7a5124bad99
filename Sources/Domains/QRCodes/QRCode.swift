/// A QR code (ISO/IEC 18004) of some bytes, to be shown on a screen: byte mode, error correction L, up to version 20.
///
/// Level L suffices, since a screen has no stains, and gives the smallest code.
public struct QRCode: Sendable, Hashable {
    /// How many bytes a code has at most.
    public static let byteLimit = 858
    private static let quietZone = 4

    /// How many modules a side has.
    public let size: Int
    /// The rows; true is dark.
    public let rows: [[Bool]]

    /// The code of a text; nil when it is too long.
    public init?(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// - Parameter mask: nil for the one that a reader likes best.
    init?(_ bytes: [UInt8], mask: Int? = nil) {
        guard let version = QRVersion.allCases.first(where: { bytes.count <= $0.byteLimit }) else { return nil }
        let codewords = version.codewords(of: bytes)
        let masks = mask.map { $0...$0 } ?? 0...7
        let matrices = masks.map { QRMatrix(version, codewords: codewords, mask: $0) }
        guard let best = matrices.min(by: { $0.penalty < $1.penalty }) else { return nil }
        size = version.size
        rows = best.rows
    }

    /// The code for a terminal with light text on a dark ground, two rows of modules a line: light modules are drawn,
    /// dark ones are the ground.
    ///
    /// - Parameter isInverted: for dark text on a light ground.
    public func terminalText(isInverted: Bool = false) -> String {
        let range = -Self.quietZone..<(size + Self.quietZone)
        var lines: [String] = []
        for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            let line = range.map { column -> Character in
                let upper = isDark(row, column) == isInverted
                // The last line has one row of modules.
                let lower = row + 1 < range.upperBound && isDark(row + 1, column) == isInverted
                return upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
            }
            lines.append(String(line))
        }
        return lines.joined(separator: "\n")
    }

    private func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column) && rows[row][column]
    }
}
