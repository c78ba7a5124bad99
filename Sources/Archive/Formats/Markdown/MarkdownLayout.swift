/// Writes Markdown.
struct MarkdownLayout: TaskLayout {
    private let context: WritingContext

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {}

    mutating func append(_ task: TaskDocument, to bytes: inout [UInt8]) {}

    mutating func end(_ bytes: inout [UInt8]) {}
}
