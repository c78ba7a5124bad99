extension TaskFormat {
    /// Tells the two formats that are free text by their lines: todo.txt by the first, Markdown by a box near the
    /// beginning.
    static func byLines(_ bytes: [UInt8]) -> TaskFormat? {
        var splitter = LineSplitter()
        var format: TaskFormat?
        var isFirst = true
        // Neither closure throws.
        try? splitter.take(Array(bytes.prefix(64 * 1024)) + "\n".utf8) { line in
            guard format == nil, !line.text.utf8.allSatisfy(\.isBlank) else { return }
            if isFirst, TodoTextLine(line.text).isTelling { format = .todotxt }
            if format == nil, MarkdownItem(line) != nil { format = .markdown }
            isFirst = false
        }
        return format
    }
}

extension TodoTextLine {
    /// Whether hardly anything but todo.txt has such a line: every text is one.
    fileprivate var isTelling: Bool {
        if priority != nil || isCompleted && completedOn != nil { return true }
        return createdOn != nil && (id != nil || due != nil || threshold != nil || category != nil)
    }
}
