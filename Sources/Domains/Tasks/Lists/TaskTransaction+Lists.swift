import CivilTime
import FoundationEssentials
import Injection
import Records

extension TaskTransaction {
    /// Creates a list at the end of the lists.
    ///
    /// - Parameter color: Six hexadecimal digits, with or without `#` before them; nil for the default.
    /// - Throws: `TaskError`: `emptyName`, `unusableText`, `badColor`, `duplicateList` if a list has exactly this name.
    @discardableResult
    public func createList(_ name: String, color: String? = nil, id: UUID? = nil) throws -> CustomList {
        let list = CustomList(
            id: id ?? transaction.identifiers.next(), name: try checkedName(name),
            color: try color.map(checkedColor) ?? CustomList.defaultColor, createdAt: now, updatedAt: now)
        return try insert(list)
    }

    private func insert(_ list: CustomList) throws -> CustomList {
        var list = list
        list.position = try transaction[CustomList.order].last(in: 0)
        do {
            try transaction.insert(list)
        } catch RecordsError.duplicate {
            throw TaskError.duplicate(id: list.id.lowercased)
        }
        return list
    }

    /// Gives a list another name.
    ///
    /// - Throws: `TaskError`: `noSuchList`, and those of `createList`.
    @discardableResult
    public func renameList(_ id: UUID, to name: String) throws -> CustomList {
        let list = try list(id)
        guard list.name != name else { return list }
        let name = try checkedName(name)
        return try change(list) { $0.name = name }
    }

    /// Gives a list another color.
    ///
    /// - Throws: `TaskError`: `noSuchList`, `badColor`.
    @discardableResult
    public func colorList(_ id: UUID, _ color: String) throws -> CustomList {
        let color = try checkedColor(color)
        return try change(list(id)) { $0.color = color }
    }

    /// Moves a list to another place among the lists.
    ///
    /// - Throws: `TaskError`: `noSuchList` for either list, `noSuchIndex`.
    @discardableResult
    public func reorderList(_ id: UUID, to place: OrderPosition<UUID>) throws -> CustomList {
        let list = try list(id)
        if case .index(let index) = place, index < 0 { throw TaskError.noSuchIndex(index) }
        if let other = place.neighbor { _ = try self.list(other) }
        return try transaction.move(list, to: place, in: CustomList.order) { touch(&$0) }
    }

    /// Deletes a list with its tasks. A tombstone of each task stays, and the completions stay in the statistics. It is
    /// undone as one.
    ///
    /// - Returns: The list, and how many tasks were deleted with it.
    /// - Throws: `TaskError.noSuchList`.
    /// - Complexity: two changes for each task; bounded memory for any number of them.
    @discardableResult
    public func deleteList(_ id: UUID) throws -> (list: CustomList, tasks: Int) {
        let list = try list(id)
        var count = 0
        while !transaction.injectionPoint(.keepsTasksOfLists) {
            // Of the index, not of the view: hidden tasks go with their list as well.
            let tasks = try transaction[TaskItem.byList].prefix(id, limit: 1024)
            if tasks.isEmpty { break }
            try deleteAll(tasks)
            count += tasks.count
        }
        let archived = try archivedTasks(of: id)
        try deleteAll(archived)
        count += archived.count
        if transaction.isPostponed(.listAfterItsTasks) {
            transaction.postpone { try $0.delete(CustomList.self, id: id) }
        } else {
            try transaction.delete(CustomList.self, id: id)
        }
        return (list, count)
    }

    /// Moves a task to the end of a list, or out of any list.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `noSuchList`.
    @discardableResult
    public func move(_ id: UUID, toList list: UUID?) throws -> TaskItem {
        var task = try get(id)
        if let list { _ = try self.list(list) }
        guard task.listID != list else { return task }
        try place(&task, inList: list)
        return try save(&task)
    }

    /// Moves a task to another place within its list, or among the tasks without a list.
    ///
    /// - Throws: `TaskError`: `noSuchTask`, `notInSameList` also for an archived task, `noSuchIndex`.
    @discardableResult
    public func reorder(_ id: UUID, inListTo place: TaskPlace) throws -> TaskItem {
        try move(get(id), to: place, in: TaskItem.orderInList, orThrow: .notInSameList)
    }

    /// Moves a task to another place of an order whose indexes count its own members.
    ///
    /// - Throws: `TaskError`: `noSuchTask` for a neighbor, `noSuchIndex`, and the given one for a neighbor in another group.
    func move<Key: PlacedKey>(
        _ task: TaskItem, to place: TaskPlace, in order: ManualOrder<TaskItem, Key>, orThrow foreign: TaskError
    ) throws -> TaskItem {
        if case .index(let index) = place, index < 0 { throw TaskError.noSuchIndex(index) }
        do {
            return try transaction.move(task, to: place, in: order) { touch(&$0) }
        } catch RecordsError.noSuchPlace {
            if let other = place.neighbor { _ = try get(other) }
            throw foreign
        }
    }

    /// Puts a task that is about to be written at the end of a list.
    func place(_ task: inout TaskItem, inList list: UUID?) throws {
        task.listID = list
        task.listOrder = try transaction[TaskItem.orderInList].last(in: list ?? TaskItem.noList)
    }

    /// Returns the list of an id.
    ///
    /// - Throws: `TaskError.noSuchList`.
    public func list(_ id: UUID) throws -> CustomList {
        guard let list = try reading.list(id) else { throw TaskError.noSuchList }
        return list
    }

    /// Archived tasks are in no list's index. Few tasks are archived, and they are found by their own index.
    func archivedTasks(of list: UUID) throws -> [TaskItem] {
        try transaction[TaskItem.archivedByList].prefix(list)
    }

    private func change(_ list: CustomList, _ body: (inout CustomList) -> Void) throws -> CustomList {
        var changed = list
        body(&changed)
        guard changed != list else { return list }
        touch(&changed)
        try transaction.put(changed)
        return changed
    }

    private func touch(_ list: inout CustomList) {
        list.updatedAt = max(now, list.updatedAt.advanced(byMicroseconds: 1))
    }

    private func checkedName(_ name: String) throws -> String {
        guard !name.allSatisfy(\.isWhitespace) else { throw TaskError.emptyName }
        try Self.checkUsable(name)
        guard try reading.list(named: name) == nil else { throw TaskError.duplicateList }
        return name
    }

    private func checkedColor(_ text: String) throws -> String {
        guard let color = CustomList.color(parsing: text) else { throw TaskError.badColor }
        return color
    }
}

// Imports: a file may name a list that comes later in it, or that it does not have.
extension TaskTransaction {
    /// Writes a list as a file describes it; the newer of two versions is kept. A name that another list has is not taken.
    ///
    /// - Returns: Whether anything was written.
    @discardableResult
    package func merge(_ list: CustomList) throws -> Bool {
        var list = list
        let other = try reading.list(named: list.name).flatMap { $0.id == list.id ? nil : $0 }
        guard let stored = try reading.list(list.id) else {
            // Tasks of this list state its name, and come into the list that has it.
            if other == nil { _ = try insert(list) }
            return other == nil
        }
        guard stored.updatedAt < list.updatedAt else { return false }
        list.position = stored.position
        if other != nil { list.name = stored.name }
        try transaction.put(list)
        return true
    }

    /// Creates a list that a task of a file names and that the store does not have, unless another list has its name.
    ///
    /// - Returns: The id of the list that the task belongs to.
    func provideList(_ id: UUID, named name: String?) throws -> UUID {
        if try reading.list(id) != nil { return id }
        if let name, let same = try reading.list(named: name) { return same.id }
        return try insert(CustomList(importedAs: id, name: name)).id
    }
}

extension CustomList {
    /// A list that a file names and does not describe: every description of it is newer.
    init(importedAs id: UUID, name: String?) {
        let isUsable =
            name.map { !$0.allSatisfy(\.isWhitespace) && (try? TaskTransaction.checkUsable($0)) != nil } ?? false
        let oldest = Instant(secondsSince1970: 0)
        self.init(
            id: id, name: isUsable ? name ?? "" : "Imported \(id.lowercased.suffix(4))", color: Self.defaultColor,
            createdAt: oldest, updatedAt: oldest)
    }
}

// Each runs in a separate transaction.
extension TaskList {
    /// Returns the lists in their order, each with the number of its open tasks.
    public func lists() throws(TaskError) -> ListOverview { try view { try $0.lists() } }

    /// Returns the tasks of a list in its order; nil for the tasks without a list.
    public func tasks(inList list: UUID?) throws(TaskError) -> [TaskItem] {
        try view { try $0.tasks(inList: list) }
    }

    /// Returns the list of an id; nil if there is none.
    public func list(_ id: UUID) throws(TaskError) -> CustomList? { try view { try $0.list(id) } }

    /// Returns a page of the tasks of a list, from its beginning or after an earlier page; of those without a list for nil.
    public func page(
        ofList list: UUID?, after token: PageToken? = nil, limit: Int = 20
    ) throws(TaskError) -> Page<TaskItem> {
        try view { try $0.page(ofList: list, after: token, limit: limit) }
    }

    /// Returns the number of all tasks of a list: also completed, archived and hidden ones. That many are deleted with it.
    public func countOfTasks(inList list: UUID) throws(TaskError) -> Int {
        try view { try $0.countOfTasks(inList: list) }
    }

    /// Returns the question that a person is asked before a list is deleted. Throws `noSuchList`.
    public func deletionQuestion(
        ofList id: UUID, in texts: any TaskTexts = EnglishTaskTexts()
    ) throws(TaskError) -> String {
        try view { try $0.deletionQuestion(ofList: id, in: texts) }
    }

    /// Returns the list that a text names: an id, a name, a name but for case, or the beginning of one name.
    public func findList(_ text: String) throws(TaskError) -> CustomList { try view { try $0.findList(text) } }

    /// Creates a list at the end of the lists.
    @discardableResult
    public func createList(_ name: String, color: String? = nil) async throws(TaskError) -> CustomList {
        try await write(.createList) { try $0.createList(name, color: color) }
    }

    /// Gives a list another name.
    @discardableResult
    public func renameList(_ id: UUID, to name: String) async throws(TaskError) -> CustomList {
        try await write(.editList) { try $0.renameList(id, to: name) }
    }

    /// Gives a list another color.
    @discardableResult
    public func colorList(_ id: UUID, _ color: String) async throws(TaskError) -> CustomList {
        try await write(.editList) { try $0.colorList(id, color) }
    }

    /// Moves a list to another place among the lists.
    @discardableResult
    public func reorderList(_ id: UUID, to place: OrderPosition<UUID>) async throws(TaskError) -> CustomList {
        try await write(.reorderList) { try $0.reorderList(id, to: place) }
    }

    /// Deletes a list with its tasks. Their completions stay in the statistics.
    @discardableResult
    public func deleteList(_ id: UUID) async throws(TaskError) -> (list: CustomList, tasks: Int) {
        try await write(.deleteList, reclaims: true) { try $0.deleteList(id) }
    }
}
