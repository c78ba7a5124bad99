extension TaskDocument {
    /// Takes back those fields of our own property that say more exactly what a property of RFC 5545 says, where another
    /// program has changed that one since: where what we would have written beside our property is not there any more.
    mutating func keepWhatIsStillSo(_ meant: TaskDocument, in surroundings: CalendarSurroundings) {
        var surroundings = surroundings
        surroundings.id = id
        guard !saysTheSame(as: meant) else { return }
        let lines = CalendarTodo.plainLines(of: self, zone: surroundings.zone)
        guard let then = try? CalendarTodo(lines).plainDocument(in: surroundings) else { return self = meant }
        if then.text != meant.text { text = meant.text }
        if then.notes != meant.notes { notes = meant.notes }
        if then.category != meant.category { category = meant.category }
        if then.createdAt != meant.createdAt { createdAt = meant.createdAt }
        if then.updatedAt != meant.updatedAt { updatedAt = meant.updatedAt }
        if then.recurringPattern != meant.recurringPattern { recurringPattern = meant.recurringPattern }
        if then.reminderAt != meant.reminderAt { reminderAt = meant.reminderAt }
        if then.scheduledDate != meant.scheduledDate { scheduledDate = meant.scheduledDate }
        if then.dueAt != meant.dueAt || then.dueIsAllDay != meant.dueIsAllDay {
            (dueAt, dueIsAllDay) = (meant.dueAt, meant.dueIsAllDay)
        }
        // A task is archived at its last change, unless our property says when: so only whether it is counts.
        if then.state != meant.state || then.completedAt != meant.completedAt
            || (then.archivedAt == nil) != (meant.archivedAt == nil)
        {
            (state, completedAt, archivedAt) = (meant.state, meant.completedAt, meant.archivedAt)
        }
    }

    /// Whether the fields that RFC 5545 has properties for are the same.
    private func saysTheSame(as other: TaskDocument) -> Bool {
        text == other.text && notes == other.notes && category == other.category && createdAt == other.createdAt
            && updatedAt == other.updatedAt && recurringPattern == other.recurringPattern
            && reminderAt == other.reminderAt && scheduledDate == other.scheduledDate && dueAt == other.dueAt
            && dueIsAllDay == other.dueIsAllDay && state == other.state && completedAt == other.completedAt
            && archivedAt == other.archivedAt
    }
}
