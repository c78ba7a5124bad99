import ByteStreams
import CivilTime
import FoundationEssentials

extension MarkdownTask {
    /// What the fields of a task call for: days of its instants, and nothing of what a file said.
    init(_ document: TaskDocument, zone: Zone) {
        let meaning: MarkdownBox.Meaning =
            switch document.state {
            case .notStarted: document.archivedAt == nil ? .notStarted : .cancelled
            case .active: .active
            case .completed: .completed
            }
        box = MarkdownBox(meaning)
        text = document.text.onOneLine
        category = document.category.withoutEmpty
        recurrence = document.recurringPattern.withoutEmpty
        id = document.id
        createdOn = zone.day(of: document.createdAt)
        scheduled = document.scheduledDate
        due = document.dueAt.map(zone.day)
        archivedOn = document.archivedAt.map(zone.day)
        completedOn = document.completedAt.map(zone.day)
        notes = document.notes.flatMap { MarkdownNotes.text(of: MarkdownNotes.lines(of: $0)) }
    }

    /// The task that the lines are. Its days are the starts of those days.
    func document(id: UUID, _ context: ReadingContext) throws(RecordProblem) -> TaskDocument {
        let completedAt = box.meaning == .completed ? completedOn.map(context.zone.beginning) : nil
        guard let createdAt = createdOn.map(context.zone.beginning) ?? completedAt ?? context.now else {
            throw RecordProblem("the day of creation is missing")
        }
        var document = TaskDocument(id: id, text: text, createdAt: createdAt, updatedAt: completedAt ?? createdAt)
        document.isUndated = true
        document.gaps.createdAt = createdOn == nil
        document.archivedAt = archivedOn.map(context.zone.beginning)
        switch box.meaning {
        case .notStarted: break
        case .active: document.state = .active
        case .completed:
            document.state = .completed
            document.completedAt = completedAt
        case .cancelled:
            document.gaps.archivedAt = archivedOn == nil
            document.archivedAt = document.archivedAt ?? createdAt
        }
        document.scheduledDate = scheduled
        document.dueAt = due.map(context.zone.beginning)
        document.recurringPattern = recurrence
        document.category = category
        document.notes = notes
        try document.settle()
        return document
    }
}
