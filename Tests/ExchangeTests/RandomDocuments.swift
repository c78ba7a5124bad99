import CivilTime
import FoundationEssentials
import TestSupport

@testable import ByteStreams
@testable import Exchange
@testable import Tasks

/// Random documents determined by a seed: fields with default and other values, texts of all kinds.
struct RandomDocuments {
    private var dice: Dice

    init(seed: UInt64) {
        dice = Dice(seed)
    }

    private mutating func next() -> UInt64 { dice.next() }

    private mutating func below(_ bound: Int) -> Int { dice.below(bound) }

    private mutating func chance() -> Bool { below(3) == 0 }

    mutating func number(below bound: Int) -> Int { below(bound) }

    mutating func pick(_ choices: [String]) -> String { choices[below(choices.count)] }

    mutating func tasks(_ count: Int) -> [ImportedTask] {
        (0..<count).map { _ in task() }
    }

    /// Tasks of which some wait for others: for formats that can say it.
    mutating func linkedTasks(_ count: Int) -> [ImportedTask] {
        tasks(count).map { task in
            var task = task
            if chance() {
                task.blockedBy = (0...below(3)).map { _ in id() }.sorted { $0.lowercased < $1.lowercased }
            }
            return task
        }
    }

    mutating func task() -> ImportedTask {
        var task = ImportedTask(id: id(), text: text(), createdAt: instant(), updatedAt: instant())
        task.state = TaskState.allCases[below(3)]
        if task.state == .completed { task.completedAt = instant() }
        if chance() { task.scheduledDate = day() }
        task.sortOrder = below(1_000_000)
        if chance() { task.notes = text() }
        if chance() { task.category = text() }
        if chance() { task.completedZone = "Europe/Istanbul" }
        if chance() { task.completedOffsetSeconds = Int32(below(100_000) - 50_000) }
        if chance() { task.completionEpoch = UInt32(truncatingIfNeeded: next()) }
        if chance() { task.dueAt = instant() }
        task.dueIsAllDay = chance()
        if chance() { task.reminderAt = instant() }
        if task.dueAt == nil, chance() { (task.dueDay, task.dueIsAllDay) = (day(), true) }
        if chance() { task.listID = id() }
        if task.listID != nil, chance() { task.listName = text() }
        if chance() { task.listOrder = Int64(bitPattern: next()) }
        task.region = TaskRegion.allCases[below(4)]
        task.bucket = TaskBucket.allCases[below(4)]
        if chance() { task.planOrder = Int64(bitPattern: next()) }
        addPlanning(to: &task)
        return task
    }

    private mutating func addPlanning(to task: inout ImportedTask) {
        if chance() { task.task.tags = (0...below(3)).map { _ in text() } }
        task.priority = TaskPriority.allCases[below(4)]
        if chance() { task.waitUntil = day() }
        if chance() { (task.task.parentTaskID, task.task.subtaskOrder) = (id(), Int64(bitPattern: next())) }
        task.autoCarry = chance()
        task.isSticky = chance()
        if chance() { task.expiresAt = instant() }
        if chance() { task.archivedAt = instant() }
        task.isRecurring = chance()
        if chance() { task.recurringPattern = text() }
        if chance() { task.parentRecurringID = id() }
        if chance() { task.carriedFromDay = day() }
        if chance() { task.carryCount = UInt32(truncatingIfNeeded: next()) }
        if chance() { task.extra = extra() }
    }

    mutating func tombstone() -> Tombstone {
        var tombstone = Tombstone(id: id(), deletedAt: instant())
        if chance() { tombstone.completedAt = instant() }
        if chance() { tombstone.completedZone = "Pacific/Apia" }
        if chance() { tombstone.completedOffsetSeconds = Int32(below(100_000) - 50_000) }
        return tombstone
    }

    /// Without a NUL, never blank.
    mutating func text() -> String {
        let pieces = [
            "milk", "\"", "\\", "/", "\n", "\r\n", "\t", "\u{1}", "\u{1F}", "\u{7F}", "é", "e\u{301}", "日本語", "🎉",
            "👩‍👩‍👧‍👦", "\u{2028}", "\u{FEFF}", " ", "\u{10FFFF}", "\\u0041", "{}", "[1,2]", "مرحبا",
        ]
        return (0...below(8)).map { _ in pieces[below(pieces.count)] }.joined() + "."
    }

    mutating func id() -> UUID { UUID(bigEndian: UInt128(next()) << 64 | UInt128(next())) }

    /// Within the years 1 to 9999; half of them in whole seconds.
    private mutating func instant() -> Instant {
        let seconds = Int64(below(315_500_000_000)) - 62_135_000_000
        if chance() { return Instant(microsecondsSince1970: seconds * 1_000_000 + Int64(below(1_000_000))) }
        return Instant(secondsSince1970: seconds)
    }

    private mutating func day() -> Day { Day(clampingDaysSince1970: below(3_600_000) - 719_000) }

    private mutating func extra() -> String {
        JSONValue.canonicalText(of: [
            JSONMember(key: text(), value: value(depth: 0)), JSONMember(key: "plugin", value: value(depth: 0)),
        ])
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch below(depth > 3 ? 5 : 7) {
        case 0: .null
        case 1: .bool(chance())
        case 2: .number(["0", "-0", "12.0846", "1e400", "123456789012345678901234567890", "-1.5E-7"][below(6)])
        case 3, 4: .string(text())
        case 5: .array((0..<below(4)).map { _ in value(depth: depth + 1) })
        default: .object((0..<below(4)).map { JSONMember(key: "\($0)", value: value(depth: depth + 1)) })
        }
    }
}

/// Random choices determined by a seed.
struct SeededWords {
    private var dice: Dice

    init(seed: UInt64) {
        dice = Dice(seed)
    }

    /// Returns a number from 0 up to a bound.
    mutating func below(_ bound: Int) -> Int { dice.below(bound) }

    mutating func chance() -> Bool { below(3) == 0 }

    mutating func one<Value>(of values: [Value]) -> Value { values[below(values.count)] }

    /// Returns the given number of elements, with a random separator between each two.
    mutating func joined(_ count: Int, of words: [String], by separators: [String] = [" "]) -> String {
        var text = ""
        for index in 0..<count { text += (index == 0 ? "" : one(of: separators)) + one(of: words) }
        return text
    }
}
