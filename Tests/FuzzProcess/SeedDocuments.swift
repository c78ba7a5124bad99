import CivilTime
import Exchange
import FoundationEssentials

/// Tasks with every field at its default and away from it, and texts of all kinds.
struct SeedDocuments {
    var random: FuzzRandom

    mutating func tasks(_ count: Int) -> [TaskDocument] { (0..<count).map { _ in task() } }

    mutating func task() -> TaskDocument {
        var task = TaskDocument(id: id(), text: text(), createdAt: instant(), updatedAt: instant())
        task.state = random.pick(TaskDocument.State.allCases)
        if task.state == .completed { task.completedAt = instant() }
        if random.chance(2) { task.scheduledDate = day() }
        task.sortOrder = random.below(100)
        if random.chance(3) { task.notes = text() + "\n" + text() }
        if random.chance(3) { task.category = random.pick(["home", "front garden", "Straßenbahnhaltestelle"]) }
        if random.chance(3) { task.dueAt = random.chance(2) ? instant() : Instant(secondsSince1970: 1_770_768_000) }
        task.dueIsAllDay = random.chance(2)
        if random.chance(4) { task.reminderAt = instant() }
        if random.chance(4) { task.archivedAt = instant() }
        if random.chance(4) { task.recurringPattern = random.pick(["FREQ=WEEKLY;BYDAY=MO", "every week", "1w"]) }
        if random.chance(4) { addRareFields(to: &task) }
        if random.chance(6) { task.extra = #"{"plugin":{"a":[1,2.5e3,"x\ny",null]}}"# }
        return task
    }

    private mutating func addRareFields(to task: inout TaskDocument) {
        task.completedZone = random.chance(2) ? "Europe/Istanbul" : nil
        task.completedOffsetSeconds = random.chance(2) ? random.below(86_400) - 43_200 : nil
        task.completionEpoch = UInt32(random.below(3))
        task.listID = random.chance(2) ? id() : nil
        task.listOrder = Int64(random.below(9)) - 4
        task.region = random.pick(TaskDocument.Region.allCases)
        task.bucket = random.pick(TaskDocument.Bucket.allCases)
        task.planOrder = Int64(bitPattern: random.next())
        (task.autoCarry, task.isSticky, task.isRecurring) = (random.chance(2), random.chance(2), random.chance(2))
        task.expiresAt = random.chance(2) ? instant() : nil
        task.parentRecurringID = random.chance(2) ? id() : nil
        task.carriedFromDay = random.chance(2) ? day() : nil
        task.carryCount = UInt32(random.below(4))
    }

    mutating func tombstone() -> TombstoneDocument {
        TombstoneDocument(
            id: id(), deletedAt: instant(), completedAt: random.chance(2) ? instant() : nil,
            completedZone: random.chance(2) ? "Pacific/Apia" : nil)
    }

    private mutating func text() -> String {
        let pieces = [
            "Geburtstagsfeier", "internationalisation", "milk", "\"", "\\", "a,b;c", "#tag", "+garden", "@phone", "(A)",
            "due:2026-02-12", "x", "[ ]", "📅 2026-02-12", "é", "日本語", "👩‍👩‍👧‍👦", "%20", "'=1+1", "{}", "\t",
            "\u{1}", "\u{FEFF}", "\u{2028}", "&amp;",
        ]
        return (0...random.below(6)).map { _ in random.pick(pieces) }.joined(separator: " ") + "."
    }

    private mutating func id() -> UUID {
        let bytes = (0..<16).map { _ in random.byte() }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// In the years of people; some with a fraction of a second.
    private mutating func instant() -> Instant {
        let seconds = Int64(1_500_000_000 + random.below(300_000_000))
        return Instant(
            microsecondsSince1970: seconds * 1_000_000 + (random.chance(4) ? Int64(random.below(1_000_000)) : 0))
    }

    private mutating func day() -> Day { Day(clampingDaysSince1970: 18_000 + random.below(5_000)) }
}
