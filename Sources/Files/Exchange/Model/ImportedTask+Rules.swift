import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

extension ImportedTask {
    /// Reads a task from the members of an object; keys without a field go to `extra`.
    ///
    /// - Parameters:
    ///   - now: The time that stands for a missing `createdAt`; without it such a record is refused.
    ///   - zone: The zone of a reminder that is given as a time of day.
    init(json members: [JSONMember], now: Instant?, zone: Zone) throws(RecordProblem) {
        let time = now ?? Instant(secondsSince1970: 0)
        self.init(id: ContentIdentifier.placeholder, text: "", createdAt: time, updatedAt: time)
        var unknown: [JSONMember] = []
        for member in members where try !apply(member) { unknown.append(member) }
        if case .object? = members["reminderDate"], let day = task.reminderDay,
            let seconds = task.reminderSecondsIntoDay
        {
            task.reminderAt = zone.instant(day: day, secondsIntoDay: Int(seconds))
        }
        gaps.id = members["id"] == nil
        if gaps.id { task.id = ContentIdentifier.id(of: members) }
        if members["createdAt"] == nil, now == nil { throw RecordProblem("`createdAt` is missing") }
        gaps.createdAt = members["createdAt"] == nil
        if members["updatedAt"] == nil {
            task.updatedAt = task.createdAt
            isUndated = gaps.createdAt
        }
        if isUndated { gaps.given = Set(members.flatMap { Self.fields(shownAs: $0.key) }) }
        if members["state"] == nil, task.completedAt != nil { task.state = .completed }
        try addExtra(unknown)
        try settle()
    }

    /// Checks the rules that hold between fields, and adds what follows from them.
    mutating func settle() throws(RecordProblem) {
        if task.text.allSatisfy(\.isWhitespace) { throw RecordProblem("the text is missing or blank") }
        if task.text.utf8.count > 16 << 20 { throw RecordProblem("the text is longer than 16 MiB") }
        if task.state == .completed {
            if task.completedAt == nil {
                task.completedAt = task.updatedAt
                gaps.completedAt = true
            }
        } else if task.completedAt != nil, !task.state.isUnknown {
            throw RecordProblem("`completedAt` is given but the task is not completed")
        }
        // A list that is only named has the same id in every file.
        if task.listID == nil, let listName { task.listID = ContentIdentifier.id(of: "list\n\(listName)") }
        try task.createdAt.checkYear("createdAt")
        try task.updatedAt.checkYear("updatedAt")
        try task.completedAt?.checkYear("completedAt")
        try task.dueAt?.checkYear("dueAt")
        try task.reminderAt?.checkYear("reminderDate")
        try task.expiresAt?.checkYear("expiresAt")
        try task.archivedAt?.checkYear("archivedAt")
    }
}

extension ImportedTask {
    /// The day by whose end it is due, for formats that have days only; tasks of earlier imports have its start.
    func dayOfDue(in zone: Zone) -> Day? {
        task.dueDay ?? task.dueAt.map(zone.day)
    }

    /// Why it does not recur here although it does by its file; nil if it recurs, or by its file does not.
    var unsupportedRecurrence: RecurrenceError? {
        guard let pattern = task.recurringPattern, !pattern.isEmpty, !task.isCompleted, task.archivedAt == nil else {
            return nil
        }
        do throws(RecurrenceError) {
            _ = try RecurrenceRule(rrule: pattern)
            return nil
        } catch {
            return error
        }
    }

    /// Sets the list of a line that can name one. A line that does not was perhaps written before there were lists, or by
    /// another program: then a task of the store keeps its list, unless the line says that it is in none.
    mutating func setList(_ name: String?, isUnlisted: Bool) {
        listName = name
        if name == nil, !isUnlisted { gaps.given = TaskField.namesBesidesList }
    }

    /// Whether both say the same of a task, whatever their files leave open.
    func hasSameContent(as other: ImportedTask) -> Bool {
        task == other.task && sortOrder == other.sortOrder && isUndated == other.isUndated
            && blockedBy == other.blockedBy && listName == other.listName
    }
}

// Attributes of files that have no field, in `extra`.
extension ImportedTask {
    /// Adds members to `extra`, with room for the levels around it in every format.
    mutating func addExtra(_ members: [JSONMember]) throws(RecordProblem) {
        if members.isEmpty { return }
        let members = extraMembers + members
        guard JSONValue.object(members).fits(levels: 48, values: 60_000) else { throw .tooComplex }
        task.extra = JSONValue.canonicalText(of: members)
    }

    /// The members of `extra`; none if it is not the text of an object.
    var extraMembers: [JSONMember] {
        guard let extra = task.extra else { return [] }
        var parser = JSONParser(Array(extra.utf8))
        guard case .object(let members)? = try? parser.value() else { return [] }
        return members
    }

    /// Returns `extra` without what files of one format said.
    func extraText(without format: TaskFormat) -> String? {
        let members = extraMembers.filter { $0.key != format.rawValue }
        return members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }

    /// Returns what a file of this format said that no field can hold.
    func kept(of format: TaskFormat) -> JSONValue? {
        extraMembers[format.rawValue]
    }

    /// Keeps what a file of this format said, for the next export in that format.
    mutating func keep(_ value: JSONValue, of format: TaskFormat) throws(RecordProblem) {
        // It is nested deeper in `extra` than here, and has to be readable there, too.
        guard value.fits(levels: 40, values: 50_000) else { throw .tooComplex }
        try addExtra([JSONMember(key: format.rawValue, value: value)])
    }
}

// Most formats have no place for some of our fields. Where programs may add a text of their own, that text is a JSON object
// of these fields.
extension ImportedTask {
    /// Returns the fields that differ from what a format says of the task, as the text of a JSON object; nil if none does.
    func ownFields(beyond other: ImportedTask) -> String? {
        var writer = JSONWriter()
        writer.object { for field in TaskField.own { field.write(self, other, &$0) } }
        if writer.bytes.count == 2 { return nil }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Sets the fields of such a text; returns false and changes nothing if it is no object or has other keys.
    mutating func applyOwnFields(_ text: String) throws(RecordProblem) -> Bool {
        var parser = JSONParser(Array(text.utf8))
        guard case .object(let members)? = try? parser.value(), parser.peek() == nil else { return false }
        var changed = self
        for member in members where try !changed.apply(member) { return false }
        self = changed
        return true
    }

    /// Closes the gaps that our own fields have filled.
    mutating func closeGaps(since said: ImportedTask) {
        if task.updatedAt != said.task.updatedAt { isUndated = false }
        if task.createdAt != said.task.createdAt { gaps.createdAt = false }
        if task.completedAt != said.task.completedAt { gaps.completedAt = false }
        if task.archivedAt != said.task.archivedAt { gaps.archivedAt = false }
    }
}

// Files that do not say when a task was changed.
extension ImportedTask {
    /// Returns the task as a file of a format has it for whoever reads that file: without what the format cannot say. Nil
    /// if the format cannot hold the task.
    package func exported(in format: TaskFormat, zone: Zone) -> ImportedTask? {
        var bytes: [UInt8] = []
        do {
            var writer = TaskWriter(format: format, exportDate: task.updatedAt, zone: zone) {
                (part) throws(FileError) in bytes += part
            }
            try writer.append(self)
            try writer.finish()
            var reader = try TaskReader(byteSource(of: bytes), format: format, zone: zone, now: task.createdAt)
            guard case .task(let exported)? = try reader.next() else { return nil }
            return exported
        } catch {
            return nil
        }
    }

    /// Returns the task with the edits of a file that does not say when they were made: every field that the file states
    /// and in which it differs from an export of this task. Nil if there is no such field, or no export to compare with.
    ///
    /// - Parameter now: The time of completion or archiving, if the file says that it is and not when.
    package func revised(
        by file: ImportedTask, in format: TaskFormat, zone: Zone, now: Instant
    ) -> ImportedTask? {
        guard let exported = exported(in: format, zone: zone) else { return nil }
        let file = file.filled(from: exported, now: now)
        var revised = self
        for field in TaskField.revisable where file.gaps.given?.contains(field.name) ?? true {
            field.revise(&revised, file, exported)
        }
        if revised.task.reminderAt != task.reminderAt, revised.task.reminderDay == task.reminderDay,
            revised.task.reminderSecondsIntoDay == task.reminderSecondsIntoDay
        {
            // The file gives another instant, so the time of day is no longer what was meant.
            (revised.task.reminderDay, revised.task.reminderSecondsIntoDay) = (nil, nil)
        }
        if file.gaps.given?.contains("list") ?? true { revised.listName = file.listName }
        revised.takeExtra(of: file, since: exported, in: zone)
        revised.takeDays(of: file, since: self)
        if revised.task.state != task.state { revised.settleCompletion(epoch: task.completionEpoch, now: now) }
        return revised.task == task ? nil : revised
    }

    /// Returns the task with what the file leaves open: unchanged, or if it is new in the file, since now.
    private func filled(from exported: ImportedTask, now: Instant) -> ImportedTask {
        var file = self
        if gaps.createdAt { file.task.createdAt = exported.task.createdAt }
        if gaps.completedAt, task.completedAt != nil { file.task.completedAt = exported.task.completedAt ?? now }
        if gaps.archivedAt, task.archivedAt != nil { file.task.archivedAt = exported.task.archivedAt ?? now }
        if let given = gaps.given, given.contains("completedAt"), !given.contains("state") {
            // The time of completion also says whether the task is completed.
            if task.completedAt == nil {
                file.task.state = exported.task.state == .completed ? .notStarted : exported.task.state
            }
            file.gaps.given?.insert("state")
        }
        return file
    }

    /// Sets what follows from another state and is not in the file.
    private mutating func settleCompletion(epoch: UInt32, now: Instant) {
        if task.state == .completed {
            task.completedAt = task.completedAt ?? now
        } else if task.completedAt != nil {
            task.completedAt = nil
            task.completedZone = nil
            task.completedOffsetSeconds = nil
            if task.completionEpoch == epoch { task.completionEpoch &+= 1 }
        }
    }

    /// Takes attributes without a field, each by itself: the format may not have those that another has kept.
    private mutating func takeExtra(of file: ImportedTask, since exported: ImportedTask, in zone: Zone) {
        guard file.task.extra != exported.task.extra else { return }
        self = withShiftedExtra(in: zone)
        // Days of files belong to their instants: `takeDays` takes those.
        let before = exported.extraMembers.filter { $0.key != FileDays.key }
        let after = file.extraMembers.filter { $0.key != FileDays.key }
        var members = extraMembers
        let hasAll = file.gaps.given?.contains("extra") ?? true
        for member in before where hasAll && after[member.key] == nil { members.removeAll { $0.key == member.key } }
        for member in after where before[member.key] != member.value {
            members.removeAll { $0.key == member.key }
            members.append(member)
        }
        task.extra = members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }
}
