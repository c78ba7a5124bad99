import Daybook
import Observation

/// The tasks of a list a person has made, or those without a list.
@MainActor @Observable
public final class ListModel: TasksModel {
    /// The list's id; nil for the tasks without a list.
    public let id: UUID?
    /// The list; nil before it was read, when it is deleted, and for the tasks without a list.
    public private(set) var record: CustomList?

    /// Follows a list.
    public init(_ list: TaskList, id: UUID?) {
        self.id = id
        super.init(list)
    }

    override func changes(after shown: ViewUpdate?) -> LiveView { list.changes(inList: id, after: shown) }

    override func start() {
        super.start()
        guard let id else { return }
        follow(list.observe { try $0.list(id) }) { [weak self] in self?.record = $0.value }
    }
}

/// The lists that a person has made, with the numbers of their open tasks.
@MainActor @Observable
public final class ListsModel: LiveModel {
    /// The lists; nil before they were read.
    public private(set) var overview: ListOverview?
    /// The list of tasks that they belong to.
    public let list: TaskList

    /// Follows the lists of a store or of a session.
    public init(_ list: TaskList) {
        self.list = list
        super.init()
    }

    override func start() {
        follow(list.observe { try $0.lists() }) { [weak self] in self?.overview = $0.value }
    }
}
