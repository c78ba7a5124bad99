import Daybook
import DaybookModels
import FoundationEssentials

/// What a page shows of a store: some models, and how a window of them looks.
@MainActor
protocol Part: AnyObject, Sendable {
    /// What is followed.
    var models: [LiveModel] { get }
    /// Sends what has changed since the page was sent something.
    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws
}

/// An item of a list of tasks: a task, or the heading of those that follow.
enum TaskListItem: Encodable, Hashable {
    case task(UUID)
    case heading(Heading)

    struct Heading: Encodable, Hashable {
        let heading: String
        var day: String?
        var count: Int?
        var due: Bool?
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .task(let id): try ["id": id.uuidString.lowercased()].encode(to: encoder)
        case .heading(let heading): try heading.encode(to: encoder)
        }
    }
}

/// The window of a list of tasks.
struct TaskListState: PartState {
    var part: String
    var total: Int
    var from: Int
    var items: [TaskListItem] = []
    var rows: [String: Row] = [:]
    var title: String
    var empty = ""
    var completed: Int?
    var completedText: String?
    var countOfTasks: Int
    var color: String?
    var more: Bool?
    var missing: Bool?

    var withoutRows: any PartState {
        var state = self
        state.rows = [:]
        return state
    }

    /// Adds the items of a group that are in the window.
    ///
    /// - Parameters:
    ///   - start: The number of the group's first item.
    mutating func add(
        _ group: some RandomAccessCollection<TaskItem>, at start: Int, _ window: Range<Int>, _ tasks: inout [TaskItem]
    ) {
        let range = (window.lowerBound - start..<window.upperBound - start).clamped(to: 0..<group.count)
        for task in group.dropFirst(range.lowerBound).prefix(range.count) {
            items.append(.task(task.id))
            tasks.append(task)
        }
    }
}

extension OpenPage {
    /// Sends a window with the rows that the page does not have.
    func send(_ state: TaskListState, _ tasks: [TaskItem], _ board: Board) throws {
        var state = state
        state.rows = news(in: try board.rows(tasks), of: state.part)
        send(state, hasRows: !state.rows.isEmpty)
    }
}

/// The tasks of the Inbox, or any others without headings.
@MainActor
final class TasksPart: Part {
    let model: TasksModel
    private let view: TaskView
    var models: [LiveModel] { [model] }

    init(_ model: TasksModel, _ view: TaskView) { (self.model, self.view) = (model, view) }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.update != nil else { return }
        let window = request.window
        var state = TaskListState(
            part: request.part, total: model.tasks.count, from: window.lowerBound, title: view.title,
            empty: board.texts.emptyView(view), countOfTasks: model.tasks.count)
        var tasks: [TaskItem] = []
        state.add(model.tasks, at: 0, window, &tasks)
        try page.send(state, tasks, board)
    }
}

/// The tasks of today, and what else is due.
@MainActor
final class TodayPart: Part {
    private let model: TodayModel
    var models: [LiveModel] { [model] }

    init(_ model: TodayModel) { self.model = model }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.update != nil else { return }
        let (window, planned, due) = (request.window, model.tasks, model.due)
        let completed = model.completedCount
        var state = TaskListState(
            part: request.part, total: planned.count + (due.isEmpty ? 0 : due.count + 1), from: window.lowerBound,
            title: TaskView.today.title, empty: board.texts.emptyView(.today), completed: completed,
            completedText: completed == 0 ? nil : "\(completed) completed today",
            countOfTasks: planned.count + due.count)
        var tasks: [TaskItem] = []
        state.add(planned, at: 0, window, &tasks)
        if !due.isEmpty {
            if window.contains(planned.count) {
                state.items.append(.heading(.init(heading: "Due", count: due.count, due: true)))
            }
            state.add(due, at: planned.count + 1, window, &tasks)
        }
        try page.send(state, tasks, board)
    }
}

/// The tasks of several days, each under its heading.
@MainActor
final class SectionsPart: Part {
    private let model: TasksModel
    private let view: TaskView
    private let sections: @MainActor () -> [DaySection]
    var models: [LiveModel] { [model] }

    init(_ model: TasksModel, _ view: TaskView, _ sections: @escaping @MainActor () -> [DaySection]) {
        (self.model, self.view, self.sections) = (model, view, sections)
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.update != nil else { return }
        let window = request.window
        var state = TaskListState(
            part: request.part, total: 0, from: window.lowerBound, title: view.title,
            empty: board.texts.emptyView(view), countOfTasks: 0)
        var (tasks, next): ([TaskItem], Int) = ([], 0)
        for section in sections() {
            let count = section.tasks.count + section.due.count
            if window.contains(next) {
                state.items.append(
                    .heading(.init(heading: section.heading(board.texts), day: section.day.description, count: count)))
            }
            state.add(section.tasks, at: next + 1, window, &tasks)
            state.add(section.due, at: next + 1 + section.tasks.count, window, &tasks)
            next += count + 1
            state.countOfTasks += count
        }
        state.total = next
        try page.send(state, tasks, board)
    }
}

/// The tasks of a list, or those without one.
@MainActor
final class ListPart: Part {
    private let model: ListModel
    var models: [LiveModel] { [model] }

    init(_ id: UUID?, _ session: DaybookSession) { model = ListModel(session.tasks, id: id) }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        guard model.update != nil, let overview = board.lists.overview else { return }
        let list = model.id.flatMap { id in overview.lists.first { $0.list.id == id }?.list }
        let window = request.window
        var state = TaskListState(
            part: request.part, total: model.tasks.count, from: window.lowerBound,
            title: list?.name ?? (model.id == nil ? "No list" : ""), empty: "No tasks in this list.",
            countOfTasks: model.tasks.count, color: list.map { "#\($0.color)" })
        if model.id != nil, list == nil { state.missing = true }
        var tasks: [TaskItem] = []
        state.add(model.tasks, at: 0, window, &tasks)
        try page.send(state, tasks, board)
    }
}

/// What one page searches for.
@MainActor
final class SearchPart: Part {
    private let model: SearchModel
    var models: [LiveModel] { [model] }

    init(_ model: SearchModel) { self.model = model }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        let text = request.text ?? ""
        var filter = SearchFilter()
        filter.openOnly = request.openOnly ?? false
        if model.text != text { model.text = text }
        if model.filter != filter { model.filter = filter }
        // The next page is found before anybody has scrolled to its end.
        let window = request.window
        if window.upperBound > model.tasks.count, model.hasMore { model.showMore() }
        guard model.phase == .ready else { return }
        var state = TaskListState(
            part: request.part, total: model.tasks.count, from: window.lowerBound, title: "Search",
            empty: text.isEmpty ? "Type a word to search all tasks." : "No task has these words.",
            countOfTasks: model.tasks.count)
        if model.hasMore { state.more = true }
        var tasks: [TaskItem] = []
        state.add(model.tasks, at: 0, window, &tasks)
        try page.send(state, tasks, board)
    }
}

extension TaskView {
    var title: String { rawValue.capitalized }
}
