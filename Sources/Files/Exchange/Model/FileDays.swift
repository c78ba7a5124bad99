import ByteStreams
import CivilTime
import Tasks

/// The days for which instants stand, where a file and the store differ in that.
///
/// A day of a file becomes the start of that day in the zone of the import, which is another day in another zone. So
/// `extra` keeps the day beside the instant that it became, under `fileDays`, and exports of days write that day in every
/// zone. It counts only while the field has that instant: whatever changes the field later needs to know nothing of it. In
/// Taskwarrior, where the days of the store are instants, our own attribute has them for the same purpose.
struct FileDays: Equatable {
    /// The fields that are instants here and days there.
    enum Field: String, CaseIterable {
        case createdAt, completedAt, archivedAt
        /// Instants in Taskwarrior only.
        case scheduledDate, dueDay, waitUntil

        /// The instant of a stored task.
        func instant(of task: TaskItem) -> Instant? {
            switch self {
            case .createdAt: task.createdAt
            case .completedAt: task.completedAt
            case .archivedAt: task.archivedAt
            case .scheduledDate, .dueDay, .waitUntil: nil
            }
        }
    }

    /// An instant, and the day for which it stands.
    private struct Entry: Equatable {
        let instant: Instant
        let day: Day
    }

    /// The key in `extra`.
    static let key = "fileDays"

    private var entries: [Field: Entry] = [:]

    /// Creates the days of a task without any.
    init() {}

    /// Reads the days of a task. A value that is none of ours gives none.
    init(of document: ImportedTask) {
        guard let extra = document.extra, extra.utf8.firstRange(of: "\"\(Self.key)\"".utf8) != nil,
            case .object(let members)? = document.extraMembers[Self.key]
        else { return }
        for field in Field.allCases {
            guard case .array(let pair)? = members[field.rawValue], pair.count == 2,
                let instant = try? pair[0].instant(field.rawValue), let day = try? pair[1].day(field.rawValue)
            else { continue }
            entries[field] = Entry(instant: instant, day: day)
        }
    }

    /// Returns the day of a field: the one that a file gave for its instant, else that of the instant in the zone.
    func day(of field: Field, in document: ImportedTask, _ zone: Zone) -> Day? {
        guard let instant = field.instant(of: document.task) else { return nil }
        return day(of: field, at: instant) ?? zone.day(of: instant)
    }

    /// Returns the day for which an instant of a field stands; nil if none was noted.
    func day(of field: Field, at instant: Instant) -> Day? {
        guard let entry = entries[field], entry.instant == instant else { return nil }
        return entry.day
    }

    /// Removes the day of a field.
    mutating func remove(_ field: Field) { entries[field] = nil }

    /// Notes that the instant of a field stands for a day.
    mutating func set(_ field: Field, _ instant: Instant, to day: Day) {
        entries[field] = Entry(instant: instant, day: day)
    }

    /// Takes one field from other days.
    mutating func take(_ field: Field, from other: FileDays) {
        entries[field] = other.entries[field]
    }

    /// The value in `extra`; nil if there is no day.
    fileprivate var value: JSONValue? {
        if entries.isEmpty { return nil }
        let members = entries.map { field, entry in
            JSONMember(
                key: field.rawValue, value: .array([.string("\(entry.instant)"), .string("\(entry.day)")]))
        }
        return .object(members.sortedByKey())
    }
}

extension ImportedTask {
    /// Keeps the days that a file gives for instants. An instant that the file leaves open may be the start of the day of another
    /// field, and then is that day as well.
    mutating func note(_ days: [FileDays.Field: Day], in zone: Zone) throws(RecordProblem) {
        var noted = FileDays(of: self)
        for field in FileDays.Field.allCases {
            guard let instant = field.instant(of: task) else { continue }
            // A day that a zone has skipped begins with the day after it, so the field's own day comes first.
            let candidates = [days[field]].compactMap(\.self) + days.values.sorted()
            guard let day = candidates.first(where: { zone.beginning(of: $0) == instant }) else { continue }
            noted.set(field, instant, to: day)
        }
        try set(noted)
    }

    /// Takes the days of the fields that a file has changed.
    mutating func takeDays(of file: ImportedTask, since before: ImportedTask) {
        var days = FileDays(of: self)
        for field in FileDays.Field.allCases where field.instant(of: task) != field.instant(of: before.task) {
            days.take(field, from: FileDays(of: file))
        }
        // Only attributes that are at their limit leave no room.
        try? set(days)
    }

    /// Keeps these days instead of the ones that it has.
    mutating func set(_ days: FileDays) throws(RecordProblem) {
        guard days != FileDays(of: self) else { return }
        let others = extraMembers.filter { $0.key != FileDays.key }
        task.extra = others.isEmpty ? nil : JSONValue.canonicalText(of: others)
        if let value = days.value { try addExtra([JSONMember(key: FileDays.key, value: value)]) }
    }
}
