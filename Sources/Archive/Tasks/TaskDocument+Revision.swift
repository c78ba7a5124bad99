import CivilTime

extension TaskDocument {
    /// The task as a file of a format tells it to whoever reads that file: what the format cannot say is lost. Nil when the
    /// format cannot say the task at all.
    public func told(in format: TaskFormat, zone: Zone) -> TaskDocument? {
        var bytes: [UInt8] = []
        do {
            var writer = TaskWriter(format: format, exportDate: updatedAt, zone: zone) {
                (part) throws(ArchiveError) in bytes += part
            }
            try writer.append(self)
            try writer.finish()
            var reader = try TaskReader(byteSource(of: bytes), format: format, zone: zone, now: createdAt)
            guard case .task(let told)? = try reader.next() else { return nil }
            return told
        } catch {
            return nil
        }
    }

    /// The task with what was edited in a file that does not say when: every field in which the file differs from what an
    /// export of this task says. Nil when it differs in none, or cannot be compared.
    ///
    /// - Parameter now: when it was completed, if the file says that it is and not when.
    public func revised(by file: TaskDocument, in format: TaskFormat, zone: Zone, now: Instant) -> TaskDocument? {
        guard let told = told(in: format, zone: zone) else { return nil }
        var file = file
        // What the file does not say was understood as now, and is now another time than when it was read before.
        if file.createdAt == now { file.createdAt = told.createdAt }
        if file.completedAt == now { file.completedAt = told.completedAt ?? now }
        if file.archivedAt == now { file.archivedAt = told.archivedAt ?? now }
        var revised = self
        for field in Self.fields { field(&revised, file, told) }
        revised.takeExtra(of: file, since: told)
        if revised.state != state { revised.settleCompletion(epoch: completionEpoch, now: now) }
        return revised == self ? nil : revised
    }

    /// What follows from another state, where the file does not say it.
    private mutating func settleCompletion(epoch: UInt32, now: Instant) {
        if state == .completed {
            completedAt = completedAt ?? now
        } else if completedAt != nil {
            completedAt = nil
            completedZone = nil
            completedOffsetSeconds = nil
            if completionEpoch == epoch { completionEpoch &+= 1 }
        }
    }

    /// Takes one field of the file over, if it is not as it was told.
    private typealias Field = @Sendable (inout TaskDocument, _ file: TaskDocument, _ told: TaskDocument) -> Void

    private static func field<Value: Equatable & SendableMetatype>(
        _ path: WritableKeyPath<TaskDocument, Value> & Sendable
    ) -> Field {
        { task, file, told in
            if file[keyPath: path] != told[keyPath: path] { task[keyPath: path] = file[keyPath: path] }
        }
    }

    /// All but the identity, the time of the last change, and the place: that is the store's.
    private static let fields: [Field] = [
        field(\.text), field(\.state), field(\.createdAt), field(\.completedAt), field(\.scheduledDate),
        field(\.notes), field(\.category), field(\.completedZone), field(\.completedOffsetSeconds),
        field(\.completionEpoch), field(\.dueAt), field(\.dueIsAllDay), field(\.reminderAt), field(\.listID),
        field(\.listOrder), field(\.region), field(\.bucket), field(\.planOrder), field(\.autoCarry),
        field(\.isSticky), field(\.expiresAt), field(\.archivedAt), field(\.isRecurring), field(\.recurringPattern),
        field(\.parentRecurringID), field(\.carriedFromDay), field(\.carryCount),
    ]

    /// Attributes without a field, each by itself: the format may not know those that another has kept.
    private mutating func takeExtra(of file: TaskDocument, since told: TaskDocument) {
        guard file.extra != told.extra else { return }
        let (before, after) = (told.extraMembers, file.extraMembers)
        var members = extraMembers
        for member in before where after[member.key] == nil { members.removeAll { $0.key == member.key } }
        for member in after where before[member.key] != member.value {
            members.removeAll { $0.key == member.key }
            members.append(member)
        }
        extra = members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }
}
