import CivilTime
import FoundationEssentials
import Records

extension TaskItem {
    /// How many distinct words of a task can be searched for: the first ones of its text, then of its note.
    static let wordLimit = 1000

    /// What is before a tag in the index of words.
    static let tagMark = UInt8(ascii: "#")

    /// The index of the words of texts and notes, and of the tags with a mark before them, the newest tasks first. Changes of anything
    /// else do not touch it. The keys of a new task wait in one row with those of others, so tags cost a new task no page.
    static let byWord = Index<TaskItem, WordKey<Descending<Instant>>>(
        each: "byWord", hasPendingList: true,
        unless: {
            $0.text == $1.text && $0.notes == $1.notes && $0.createdAt == $1.createdAt && $0.tagLines == $1.tagLines
        }
    ) { task in
        let rank = Descending(task.createdAt)
        let words = Word.all(in: [task.text, task.notes ?? ""], limit: wordLimit).map { WordKey($0, rank) }
        guard task.tagLines != nil else { return words }
        return words + task.tags.map { WordKey(Word(mark: tagMark, TextKey($0)), rank) }
    }
}

/// Which of the tasks with some words are found. Without any condition, all but archived ones.
public struct SearchFilter: Sendable, Equatable {
    /// Whether to leave out completed tasks.
    public var openOnly = false
    /// The list that the tasks belong to; nil for any, and for none.
    public var listID: UUID?
    /// The category of the tasks, as categories are compared: without case and diacritics. Nil for any, and for none.
    public var category: String?
    /// The first scheduled day; nil for no bound. With a bound, the Inbox is left out.
    public var from: Day?
    /// The last scheduled day; nil for no bound.
    public var to: Day?
    /// Whether archived tasks are found, too.
    public var includesArchived = false
    /// Tags that the tasks have, all of them.
    public var tags: [String] = []
    /// How important the tasks are; nil for any.
    public var priority: TaskPriority?

    /// A filter of the given conditions, all of which hold for what is found.
    public init(
        openOnly: Bool = false, listID: UUID? = nil, category: String? = nil, from: Day? = nil, to: Day? = nil,
        includesArchived: Bool = false, tags: [String] = [], priority: TaskPriority? = nil
    ) {
        self.openOnly = openOnly
        self.listID = listID
        self.category = category
        self.from = from
        self.to = to
        self.includesArchived = includesArchived
        self.tags = tags
        self.priority = priority
    }

    /// Whether it selects tasks by itself, without a word.
    var isSelective: Bool {
        listID != nil || category != nil || from != nil || to != nil || includesArchived || !tags.isEmpty
            || priority != nil
    }

    /// A closure that decides, with what all tasks are compared to computed once.
    var predicate: (TaskItem) -> Bool {
        let category = category.map(TextKey.init)
        return { task in
            if openOnly, task.isCompleted { return false }
            if !includesArchived, task.archivedAt != nil { return false }
            if let listID, task.listID != listID { return false }
            if let category, task.category.map(TextKey.init) != category { return false }
            if let priority, task.priority != priority { return false }
            guard tags.allSatisfy({ task.hasTag($0) }) else { return false }
            if from == nil, to == nil { return true }
            guard let day = task.scheduledDate else { return false }
            return day >= from ?? day && day <= to ?? day
        }
    }
}

extension TaskReading {
    /// Returns the tasks whose texts or notes have every word of a search text, in pages.
    ///
    /// Case and diacritics do not matter. A word is found by its beginning, too: tasks with all words as a whole come first,
    /// and within both kinds the newest. A text without a word finds nothing. An empty one finds what the filter alone asks
    /// for, the newest first: the tasks with its tags, of its priority, its list, its category or its days; or, if it only includes
    /// archived ones, these. An empty filter asks for nothing.
    ///
    /// - Complexity: for one word a step and a look-up for each task that has it, until the page is full; see
    ///   `IndexReader.search` for several. Of an empty text, the same for the tags; without tags for every task.
    /// - Throws: `CancellationError` when the calling task is cancelled.
    public func search(
        _ text: String, _ filter: SearchFilter = SearchFilter(), after token: PageToken? = nil, limit: Int = 20
    ) throws -> Page<TaskItem> {
        let isFound = filter.predicate
        // A search with a narrow filter reads many tasks before it has found a page.
        func isShown(_ task: TaskItem) throws -> Bool {
            try Task.checkCancellation()
            return isFound(task)
        }
        var words = Word.searched(in: text)
        if text.isEmpty { words = filter.tags.map { Word(mark: TaskItem.tagMark, TextKey($0)) } }
        guard text.isEmpty, words.isEmpty, filter.isSelective else {
            return try transaction[TaskItem.byWord].search(words, after: token, limit: limit, where: isShown)
        }
        let isArchive = filter == SearchFilter(openOnly: filter.openOnly, includesArchived: true)
        return try transaction[TaskItem.byCreation].page(in: .all, after: token, backwards: true, limit: limit) {
            task in
            try isShown(task) && (!isArchive || task.archivedAt != nil)
        }
    }
}

extension TaskList {
    /// Returns the tasks whose texts or notes have every word of a search text, in pages: whole words before beginnings of
    /// words, then the newest first.
    public func search(
        _ text: String, _ filter: SearchFilter = SearchFilter(), after token: PageToken? = nil, limit: Int = 20
    ) throws(TaskError) -> Page<TaskItem> {
        try view { try $0.search(text, filter, after: token, limit: limit) }
    }
}
