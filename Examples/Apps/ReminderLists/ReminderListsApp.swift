import Daybook
import DaybookModels
import Observation

/// Lists with reminders, a widget, and what a voice assistant calls.
@MainActor @Observable
final class ReminderListsApp {
    let store: DaybookStore
    let session: DaybookSession
    let lists: ListsModel
    let search: SearchModel
    let undo: UndoModel<UndoNotice>
    private let texts: any DaybookTexts

    /// The list that is open.
    private(set) var open: ListModel

    init(_ store: DaybookStore, texts: any DaybookTexts = EnglishTexts()) {
        (self.store, self.texts) = (store, texts)
        session = store.session()
        lists = ListsModel(session.tasks)
        search = SearchModel(session.tasks)
        undo = UndoModel(session.tasks)
        open = ListModel(session.tasks, id: nil)
    }

    var message: String? { (lists.failure ?? undo.failure).map(texts.text) }

    func select(_ list: UUID?) { open = ListModel(session.tasks, id: list) }

    @discardableResult
    func create(_ name: String) async -> CustomList? {
        await lists.perform { [session] in try await session.tasks.createList(name) }
    }

    /// Adds a task to the list that is open.
    func add(_ text: String, remindAt reminder: Instant? = nil) async {
        let new = NewTask(text, list: open.id, reminder: reminder.map { .at($0) })
        await lists.perform { [session] in try await session.tasks.create([new]) }
    }

    /// The question before a list is deleted with its tasks.
    func question(_ list: UUID) -> String? { try? session.tasks.deletionQuestion(ofList: list, in: texts) }

    func delete(_ list: UUID) async {
        if open.id == list { select(nil) }
        await lists.perform(as: .delete) { [session] in try await session.tasks.deleteList(list) }
    }

    /// What the assistant says after it has created a task.
    func assistantCreates(_ text: String) async -> String? {
        let context = store.context
        return await lists.perform { [session] in try await session.tasks.create(text) }
            .map { texts.spokenCreation(of: $0, today: context.today, in: context.zone) }
    }

    /// Opens a link of a widget or a notification.
    func open(_ link: String) async {
        await lists.perform { [session] in try await session.tasks.open(TaskURL(parsing: link)) }
    }

    var screen: String {
        var lines = (lists.overview?.lists ?? []).map { "\($0.list.name): \($0.open)" }
        lines.append("= \(open.record?.name ?? "Reminders")")
        lines += open.tasks.map { " [\($0.isCompleted ? "x" : " ")] \($0.text)" }
        if let message { lines.append(message) }
        return lines.joined(separator: "\n")
    }

    /// A line typed in a terminal: `list NAME` creates a list and opens it; another line is a task of the list that is open.
    func enter(_ line: String) async {
        if line.hasPrefix("list "), let list = await create(String(line.dropFirst(5))) {
            select(list.id)
        } else {
            await add(line)
        }
    }
}
