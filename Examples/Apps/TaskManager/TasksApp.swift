import Daybook
import DaybookModels
import Observation

/// A task manager with Inbox, Today and Upcoming: what its screens show and do.
@MainActor @Observable
final class TasksApp {
    let store: DaybookStore
    /// The view of the store in which a change shows before it is durable. All models share it.
    let session: DaybookSession
    let inbox: InboxModel
    let today: TodayModel
    let upcoming: UpcomingModel
    let statistics: StatisticsModel
    let undo: UndoModel<UndoNotice>
    private let texts: any DaybookTexts

    /// What a person is typing.
    var typed = ""
    /// The view that is open, in which a typed task is created.
    var view = TaskView.inbox

    init(_ store: DaybookStore, texts: any DaybookTexts = EnglishTexts()) {
        (self.store, self.texts) = (store, texts)
        session = store.session()
        inbox = InboxModel(session.tasks)
        today = TodayModel(session.tasks)
        upcoming = UpcomingModel(session.tasks)
        statistics = StatisticsModel(session.tasks)
        undo = UndoModel(session.tasks)
    }

    /// What went wrong last, for a banner.
    var message: String? { (today.failure ?? undo.failure).map(texts.text) }

    /// Creates a task of what was typed. The field is empty at once, and has the text again if it could not be saved.
    func capture() async {
        let text = typed
        typed = ""
        if await today.perform({ [session, view] in try await session.tasks.create(text, in: view) }) == nil {
            typed = text
        }
    }

    /// Advances a task: to do, doing, done.
    func cycle(_ task: TaskItem) async {
        await today.perform { [session] in try await session.tasks.cycle(task.id) }
    }

    /// Drops a task on a view, at a place in it.
    func drop(_ task: TaskItem, on view: TaskView, at place: TaskPlace = .last) async {
        let day: TaskDay =
            switch view {
            case .inbox: .inbox
            case .today: .today
            case .upcoming: .tomorrow
            case .past: .on(store.context.today.advanced(by: -1))
            }
        await today.perform { [session] in try await session.tasks.schedule(task.id, on: day, at: place) }
    }

    func rename(_ task: TaskItem, to text: String) async {
        await today.perform { [session] in try await session.tasks.edit(task.id) { $0.text = text } }
    }

    func delete(_ task: TaskItem) async {
        await today.perform(as: .delete) { [session] in try await session.tasks.delete(task.id) }
    }

    /// The file that is handed to whoever the person chooses.
    func export() -> ExportedFile { store.files.exportTasks(as: .json) }

    /// What is shown in a terminal.
    var screen: String {
        var lines = ["INBOX"]
        lines += inbox.tasks.map(line)
        lines.append("TODAY \(today.completedCount)/\(today.tasks.count)")
        lines += today.tasks.map(line)
        lines += today.due.map { "\(line($0)), due" }
        for section in upcoming.sections {
            lines.append(section.heading(texts).uppercased())
            lines += section.tasks.map(line)
        }
        if let statistics = statistics.statistics { lines.append(texts.summary(of: statistics)) }
        if let offer = undo.offer { lines.append("\(texts.undoNotice(for: offer.action)) (undo: \(undo.secondsLeft))") }
        if let message { lines.append(message) }
        return lines.joined(separator: "\n")
    }

    private func line(_ task: TaskItem) -> String {
        let mark = task.isCompleted ? "x" : task.state == .active ? ">" : " "
        return " [\(mark)] \(task.text)"
    }

    /// A line typed in a terminal: `undo`, `done N` of Today, `today N` of the Inbox, otherwise a new task.
    func enter(_ line: String) async {
        let words = line.split(separator: " ")
        let number = words.count == 2 ? Int(words[1]) : nil
        switch (words.first, number) {
        case ("undo", nil) where words.count == 1: await undo.undo()
        case ("done", .some(let number)) where today.tasks.indices.contains(number - 1):
            await today.perform { [session, task = today.tasks[number - 1]] in try await session.tasks.complete(task.id)
            }
        case ("today", .some(let number)) where inbox.tasks.indices.contains(number - 1):
            await drop(inbox.tasks[number - 1], on: .today)
        default:
            typed = line
            await capture()
        }
    }
}
