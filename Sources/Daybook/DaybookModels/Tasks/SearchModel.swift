import Daybook
import Observation

/// The tasks with some words, as a person types them, a page at a time.
///
/// Each change of ``text`` or ``filter`` ends the search before it, and its transaction. What was found stays until the next search
/// has found something, so that a screen does not flicker. When the store changes, the search is made again.
@MainActor @Observable
public final class SearchModel: LiveModel {
    /// What is searched for. An empty text finds what ``filter`` asks for, and nothing while that asks for nothing.
    public var text = "" {
        didSet { if text != oldValue { search() } }
    }
    /// Which of the tasks with these words are shown.
    public var filter: SearchFilter {
        didSet { if filter != oldValue { search() } }
    }
    /// What was found: whole words before beginnings of words, then the newest first.
    public private(set) var tasks: [TaskItem] = []
    /// Whether there is more than is shown.
    public private(set) var hasMore = false
    /// The list of tasks that is searched.
    public let list: TaskList

    @ObservationIgnored private let pageSize: Int
    @ObservationIgnored private var limit: Int

    /// Searches the tasks of a store or of a session.
    ///
    /// - Parameter pageSize: how many tasks are shown at first, and how many more by each ``showMore()``.
    public init(_ list: TaskList, filter: SearchFilter = SearchFilter(), pageSize: Int = 20) {
        (self.list, self.filter, self.pageSize, limit) = (list, filter, pageSize, pageSize)
        super.init()
    }

    /// Shows another page.
    public func showMore() {
        guard hasMore else { return }
        limit += pageSize
        stop()
        retry()
    }

    private func search() {
        limit = pageSize
        stop()
        retry()
    }

    override func start() {
        let (text, filter, limit) = (text, filter, limit)
        let query = list.observe { reading in
            let page = try reading.search(text, filter, limit: limit)
            return Found(tasks: page.records, hasMore: page.next != nil)
        }
        follow(query) { [weak self] found in
            self?.tasks = found.value.tasks
            self?.hasMore = found.value.hasMore
        }
    }
}

private struct Found: Sendable, Equatable {
    let tasks: [TaskItem]
    let hasMore: Bool
}
