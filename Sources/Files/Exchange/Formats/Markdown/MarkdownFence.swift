/// The line that opens a block of code, and what closes it.
struct MarkdownFence {
    private let character: UInt8
    private let count: Int

    /// The fence that a line opens; `content` begins behind its blanks.
    init?(opening content: ArraySlice<UInt8>) {
        guard let character = content.first, character == UInt8(ascii: "`") || character == UInt8(ascii: "~") else {
            return nil
        }
        let rest = content.drop { $0 == character }
        count = rest.startIndex - content.startIndex
        self.character = character
        // Code in a line may have three backticks too.
        guard count >= 3, character == UInt8(ascii: "~") || !rest.contains(character) else { return nil }
    }

    /// Whether a line closes the block.
    func isClosed(by content: ArraySlice<UInt8>) -> Bool {
        let rest = content.drop { $0 == character }
        return rest.startIndex - content.startIndex >= count && rest.allSatisfy(\.isBlank)
    }
}

extension MarkdownFence? {
    /// Opens or closes a block, if a line does that.
    mutating func take(_ content: ArraySlice<UInt8>) {
        if let fence = self {
            if fence.isClosed(by: content) { self = nil }
        } else {
            self = MarkdownFence(opening: content)
        }
    }
}
