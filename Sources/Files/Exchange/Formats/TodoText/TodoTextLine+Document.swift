import ByteStreams
import CivilTime
import FoundationEssentials

extension TodoTextLine {
    /// What the fields of a task call for: days of its instants, and no word of what a file said.
    init(_ document: TaskDocument, zone: Zone) {
        self.init(text: document.text.onOneLine)
        isCompleted = document.state == .completed
        completedOn = document.completedAt.map(zone.day)
        createdOn = zone.day(of: document.createdAt)
        due = document.dueAt.map(zone.day)
        threshold = document.scheduledDate
        recurrence = document.recurringPattern.withoutEmpty
        isActive = document.state == .active
        archivedOn = document.archivedAt.map(zone.day)
        notes = document.notes.withoutEmpty
        category = document.category.withoutEmpty
        id = document.id
    }

    /// The task that the line is. Its days are the starts of those days.
    func document(id: UUID, _ context: ReadingContext) throws(RecordProblem) -> TaskDocument {
        let completedAt = completedOn.map(context.zone.beginning)
        guard let createdAt = createdOn.map(context.zone.beginning) ?? completedAt ?? context.now else {
            throw RecordProblem("the day of creation is missing")
        }
        var document = TaskDocument(id: id, text: text, createdAt: createdAt, updatedAt: completedAt ?? createdAt)
        document.isUndated = true
        document.gaps.createdAt = createdOn == nil
        if isCompleted {
            document.state = .completed
            document.completedAt = completedAt
        } else if isActive {
            document.state = .active
        }
        document.scheduledDate = threshold
        document.dueAt = due.map(context.zone.beginning)
        document.recurringPattern = recurrence
        document.archivedAt = archivedOn.map(context.zone.beginning)
        document.notes = notes
        document.category = category
        try document.settle()
        return document
    }
}

extension String? {
    /// Nil where there is no text: a format whose keys have values cannot tell the two apart.
    var withoutEmpty: String? {
        self?.isEmpty == true ? nil : self
    }
}
