import CivilTime
import FoundationEssentials
import Records

/// A list of tasks that a person has made. Tasks without a list are in none: there is no record for them, so that "no list"
/// can be neither renamed nor deleted.
public struct CustomList: Record, Hashable {
    /// The list's identity.
    public package(set) var id: UUID
    /// The name. Never blank; no two lists have the same.
    public package(set) var name: String
    /// The color: six hexadecimal digits in upper case, such as `FF6B6B`.
    public package(set) var color: String
    /// The time of creation.
    public package(set) var createdAt: Instant
    /// The time of the last change. Never decreases.
    public package(set) var updatedAt: Instant
    /// The position among the lists: ascending, with gaps.
    package var position: Int64 = 0

    /// The color of a list that is created without one.
    public static let defaultColor = "007AFF"

    package init(id: UUID, name: String, color: String, createdAt: Instant, updatedAt: Instant) {
        self.id = id
        self.name = name
        self.color = color
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Returns a color as it is stored: six hexadecimal digits, with or without `#` before them; nil for anything else.
    public static func color(parsing text: String) -> String? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        return digits.uppercased()
    }

    /// The storage of lists.
    public static let collection = RecordCollection<CustomList>("lists") {
        Field(1, "name", .text)
        Field(2, "color", .text)
        Field(3, "createdAt", .instant)
        Field(4, "updatedAt", .instant)
        Field(5, "position", .integer)
        byPlace
        byName
    }

    /// The lists in their order. All are in one lane.
    static let byPlace = Index<CustomList, Placed<UInt8>>("byPlace") { Placed(lane: 0, position: $0.position) }

    /// The order that a person gives the lists.
    static let order = ManualOrder(byPlace, \.position)

    /// The index of the names, without regard to case and diacritics.
    static let byName = Index<CustomList, TextKey>("byName") { TextKey($0.name) }

    /// Decodes the fields that `encode` wrote.
    public init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        name = try fields.string(1)
        color = try fields.string(2)
        createdAt = try fields.instant(3)
        updatedAt = try fields.instant(4)
        position = try fields.optionalInt64(5) ?? 0
    }

    /// Writes the fields.
    public func encode(into fields: inout FieldEncoder) {
        fields.put(1, name)
        fields.put(2, color)
        fields.put(3, createdAt)
        fields.put(4, updatedAt)
        fields.put(5, position)
    }

    /// Undo and redo count as changes.
    public mutating func restored(replacing current: CustomList?, at now: Instant) {
        let latest = max(updatedAt, current?.updatedAt ?? updatedAt)
        updatedAt = max(now, latest.advanced(byMicroseconds: 1))
    }

    /// The invariants that the list violates, without any of its content.
    public var brokenInvariants: [String] {
        var broken: [String] = []
        if name.allSatisfy(\.isWhitespace) { broken.append("the name is blank") }
        if Self.color(parsing: color) != color { broken.append("the color is not six hexadecimal digits") }
        return broken
    }
}

extension TaskItem {
    /// Stands for no list in keys.
    static let noList = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// The lists' tasks in their order, those without a list as well. Archived tasks are in none.
    static let byList = Index<TaskItem, Placed<UUID>>("byList") { task in
        guard task.archivedAt == nil else { return nil }
        // A file may give any number, and there must be room for more tasks on both sides.
        let position = min(max(task.listOrder, -listOrderLimit), listOrderLimit)
        return Placed(lane: task.listID ?? noList, position: position)
    }

    private static let listOrderLimit: Int64 = 1 << 61

    /// The archived tasks of lists: they go with their list.
    static let archivedByList = Index<TaskItem, UUID>("archivedByList") { $0.archivedAt == nil ? nil : $0.listID }

    /// The order that a person gives the tasks of a list.
    static let orderInList = ManualOrder(byList, \.listOrder)

    /// The open tasks of each list, and of none.
    static let openPerList = Tally<TaskItem, UUID>("openPerList") { task in
        task.isCompleted || task.archivedAt != nil ? nil : task.listID ?? noList
    }
}

extension ReadTransaction {
    /// The ids of up to `limit` tasks of a list, archived ones as well: for those that have to look after the tasks of a list
    /// that another device has deleted.
    package func taskIDs(inList list: UUID, limit: Int) throws -> [UUID] {
        let shown = try self[TaskItem.byList].prefix(list, limit: limit).map(\.id)
        return try shown + self[TaskItem.archivedByList].prefix(list, limit: limit - shown.count).map(\.id)
    }
}

/// A list with how many of its tasks are open.
public struct ListSummary: Sendable, Hashable {
    /// The list.
    public let list: CustomList
    /// How many of its tasks are neither completed nor archived nor hidden today.
    public let open: Int
}

/// The lists in their order, and the tasks that are in none.
public struct ListOverview: Sendable, Hashable {
    /// How many open tasks are in no list.
    public let unlisted: Int
    /// The lists.
    public let lists: [ListSummary]
}

extension TaskReading {
    /// Returns the list of an id; nil if there is none.
    public func list(_ id: UUID) throws -> CustomList? { try transaction[CustomList.self].get(id) }

    /// Returns the list that has exactly this name; nil if there is none.
    func list(named name: String) throws -> CustomList? {
        try transaction[CustomList.byName].prefix(TextKey(name)).first { $0.name == name }
    }

    /// Returns the lists in their order, each with the number of its open tasks. ``countOfTasks(inList:)`` counts all of them.
    ///
    /// - Complexity: two look-ups for each list, and a step for each hidden task; only hidden tasks are read.
    public func lists() throws -> ListOverview {
        let open = transaction[TaskItem.openPerList]
        let hidden = Dictionary(grouping: try waiting()) { $0.listID ?? TaskItem.noList }
        return ListOverview(
            unlisted: try open.count(of: TaskItem.noList) - (hidden[TaskItem.noList]?.count ?? 0),
            lists: try transaction[CustomList.byPlace].range().map {
                ListSummary(list: $0, open: try open.count(of: $0.id) - (hidden[$0.id]?.count ?? 0))
            })
    }

    /// Returns the number of all tasks of a list: also completed, archived and hidden ones. That many are deleted with it.
    ///
    /// - Complexity: a step for each; no task is read.
    public func countOfTasks(inList list: UUID) throws -> Int {
        var count = 0
        try transaction[TaskItem.byList].forEachKey(prefix: list) { _, _ in
            count += 1
            return true
        }
        try transaction[TaskItem.archivedByList].forEachKey(prefix: list) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// Returns the question that a person is asked before a list is deleted.
    ///
    /// - Throws: `TaskError.noSuchList`.
    public func deletionQuestion(
        ofList id: UUID, in texts: any TaskTexts = EnglishTaskTexts()
    ) throws -> String {
        guard let list = try list(id) else { throw TaskError.noSuchList }
        return texts.deletionQuestion(of: list, tasks: try countOfTasks(inList: id))
    }

    /// Returns the tasks of a list in its order, completed ones as well; nil for the tasks without a list.
    ///
    /// - Complexity: a step and a look-up for each task that is returned.
    public func tasks(inList list: UUID?, limit: Int = .max) throws -> [TaskItem] {
        try visible(TaskItem.byList, in: .prefix(list ?? TaskItem.noList), today: currentDay, limit: limit)
    }

    /// Returns a page of the tasks of a list, from its beginning or after an earlier page.
    public func page(
        ofList list: UUID?, after token: PageToken? = nil, limit: Int = 20
    ) throws -> Page<TaskItem> {
        let today = currentDay
        return try transaction[TaskItem.byList].page(
            in: .prefix(list ?? TaskItem.noList), after: token, limit: limit
        ) { !$0.isWaiting(on: today) }
    }

    /// Returns the list that a text names: an id, a name, a name but for case and diacritics, or the beginning of one name.
    /// An empty or blank text names none.
    ///
    /// - Throws: `TaskError`: `noSuchList`, `ambiguousList` when it is the beginning of several names.
    public func findList(_ text: String) throws -> CustomList {
        if let id = UUID(uuidString: text) {
            guard let list = try list(id) else { throw TaskError.noSuchList }
            return list
        }
        let all = try transaction[CustomList.byPlace].range()
        if let exact = all.first(where: { $0.name == text }) { return exact }
        let key = TextKey(text)
        let same = all.filter { TextKey($0.name) == key }
        if same.count == 1 { return same[0] }
        let form = TextKey.normalForm(of: text)
        // Every name begins with nothing: a script's empty variable must not name the only list.
        guard form.contains(where: { !$0.isWhitespace }) else { throw TaskError.noSuchList }
        let beginning = same.isEmpty ? all.filter { TextKey.normalForm(of: $0.name).hasPrefix(form) } : same
        guard let first = beginning.first else { return try listOfShortID(text, among: all) }
        guard beginning.count == 1 else { throw TaskError.ambiguousList(candidates: beginning.map(\.id.lowercased)) }
        return first
    }

    /// Returns the list whose id begins or ends with 4 or more digits.
    private func listOfShortID(_ text: String, among lists: [CustomList]) throws -> CustomList {
        let digits = text.lowercased().filter { $0 != "-" }
        guard digits.count >= 4, digits.allSatisfy(\.isHexDigit) else { throw TaskError.noSuchList }
        let found = lists.filter { list in
            let id = list.id.lowercased.filter { $0 != "-" }
            return id.hasPrefix(digits) || id.hasSuffix(digits)
        }
        guard let first = found.first else { throw TaskError.noSuchList }
        guard found.count == 1 else { throw TaskError.ambiguousList(candidates: found.map(\.id.lowercased)) }
        return first
    }
}
