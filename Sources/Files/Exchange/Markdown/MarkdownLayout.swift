import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Writes Markdown: a list of check boxes, each followed by its notes.
struct MarkdownLayout: TaskLayout {
    private let context: WritingContext
    private var isCodeOpen = false

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8]) { append(task, depth: 0, to: &bytes) }

    mutating func append(_ task: ImportedTask, depth: Int, to bytes: inout [UInt8]) {
        let lines = lines(of: task, lead: String(repeating: "  ", count: depth))
        // An open code block ends with its task, but not before a task with more indentation.
        if isCodeOpen, let first = lines.utf8.first, first.isBlank { bytes += "<!-- -->\n".utf8 }
        isCodeOpen = task.notes != nil && MarkdownItem(whole: lines)?.fence != nil
        bytes += lines.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    private func lines(of task: ImportedTask, lead: String) -> String {
        var markdown = MarkdownTask(task, zone: context.zone)
        markdown.lead = lead
        guard case .string(let original)? = task.kept(of: .markdown), let item = MarkdownItem(whole: original) else {
            return markdown.lines
        }
        let kept = MarkdownTask(item)
        if OpenLinks(of: task) == nil {
            // An import that knew no links has kept these names.
            let names = kept.blockers.filter { UUID(strict: $0) == nil }
            markdown.blockers = MarkdownTask.ascending(markdown.blockers + names)
        }
        let identified = kept.id == nil ? MarkdownTask.identified(item, by: task.id) : original
        if let item = MarkdownItem(whole: identified), means(MarkdownTask(item), markdown, of: task) {
            return identified
        }
        // A task that was moved below another one is indented there; a quotation stays one.
        if lead.isEmpty || kept.lead.contains(">") { markdown.lead = kept.lead }
        markdown.bullet = kept.bullet
        if kept.box.meaning == markdown.box.meaning { markdown.box = kept.box }
        markdown.others = kept.others
        // The symbol stays while it means the same.
        if let symbol = kept.priority, PriorityLevels.priority(ofSymbol: symbol) == task.priority {
            markdown.priority = symbol
        }
        markdown.link = kept.link
        return markdown.lines
    }

    /// Whether reading the kept lines gives the present fields of the task.
    private func means(_ kept: MarkdownTask, _ markdown: MarkdownTask, of task: ImportedTask) -> Bool {
        // A task without a day of creation gets the stored one.
        let context = ReadingContext(zone: context.zone, now: task.createdAt)
        guard let document = try? kept.document(id: kept.id ?? task.id, context) else { return false }
        var meant = MarkdownTask(document, zone: context.zone)
        meant.lead = markdown.lead
        return meant == markdown
    }
}
