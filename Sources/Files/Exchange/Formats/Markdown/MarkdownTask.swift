import CivilTime
import FoundationEssentials

/// What a task in Markdown says.
struct MarkdownTask: Equatable {
    var lead = ""
    var bullet = "-"
    var box: MarkdownBox
    var text: String
    var category: String?
    /// The signs that Daybook has no field for, as they are written.
    var others: [String] = []
    var recurrence: String?
    var id: UUID?
    var createdOn: Day?
    var scheduled: Day?
    var due: Day?
    var archivedOn: Day?
    var completedOn: Day?
    /// The block link, with the blanks before it.
    var link = ""
    var notes: String?
}

extension MarkdownTask {
    /// Reads the lines of a task.
    init(_ item: MarkdownItem) {
        let signs = MarkdownSigns(item.bullet.rest)
        lead = item.bullet.lead
        bullet = item.bullet.bullet
        box = MarkdownBox(item.bullet.box)
        text = MarkdownEscapes.unescape(signs.text)
        category = signs.text(.category)
        others = signs.otherTexts
        recurrence = signs.text(.recurrence)
        id = signs.text(.id).flatMap(UUID.init(strict:))
        createdOn = signs.day(.created)
        scheduled = signs.day(.scheduled)
        due = signs.day(.due)
        archivedOn = signs.day(.cancelled)
        completedOn = signs.day(.done)
        if let range = signs.link { link = String(decoding: item.bullet.rest[range], as: UTF8.self) }
        notes = MarkdownNotes.text(of: item.notes.map(MarkdownNotes.unescape))
    }
}
