import ByteStreams
import CivilTime

extension TaskDocument {
    /// The task as a file of a format tells it to whoever reads that file: what the format cannot say is lost. Nil when the
    /// format cannot say the task at all.
    public func told(in format: TaskFormat, zone: Zone) -> TaskDocument? {
        var bytes: [UInt8] = []
        do {
            var writer = TaskWriter(format: format, exportDate: updatedAt, zone: zone) {
                (part) throws(FileError) in bytes += part
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
    /// export of this task says, and which the file has. Nil when it differs in none, or cannot be compared.
    ///
    /// - Parameter now: when it was completed or put away, if the file says that it is and not when.
    public func revised(by file: TaskDocument, in format: TaskFormat, zone: Zone, now: Instant) -> TaskDocument? {
        guard let told = told(in: format, zone: zone) else { return nil }
        let file = file.filled(from: told, now: now)
        var revised = self
        for (name, take) in Self.fields where file.gaps.given?.contains(name) ?? true { take(&revised, file, told) }
        revised.takeExtra(of: file, since: told)
        if revised.state != state { revised.settleCompletion(epoch: completionEpoch, now: now) }
        return revised == self ? nil : revised
    }

    /// What the file leaves open is as it was; what is new in it, and not when, is so since now.
    private func filled(from told: TaskDocument, now: Instant) -> TaskDocument {
        var file = self
        if gaps.createdAt { file.createdAt = told.createdAt }
        if gaps.completedAt, completedAt != nil { file.completedAt = told.completedAt ?? now }
        if gaps.archivedAt, archivedAt != nil { file.archivedAt = told.archivedAt ?? now }
        if let given = gaps.given, given.contains("completedAt"), !given.contains("state") {
            // When it was completed says also whether it is.
            if completedAt == nil { file.state = told.state == .completed ? .notStarted : told.state }
            file.gaps.given?.insert("state")
        }
        return file
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
    private static let fields: [(name: String, take: Field)] = [
        ("text", field(\.text)), ("state", field(\.state)), ("createdAt", field(\.createdAt)),
        ("completedAt", field(\.completedAt)), ("scheduledDate", field(\.scheduledDate)), ("notes", field(\.notes)),
        ("category", field(\.category)), ("completedZone", field(\.completedZone)),
        ("completedOffsetSeconds", field(\.completedOffsetSeconds)), ("completionEpoch", field(\.completionEpoch)),
        ("dueAt", field(\.dueAt)), ("dueIsAllDay", field(\.dueIsAllDay)), ("reminderAt", field(\.reminderAt)),
        ("listID", field(\.listID)), ("listOrder", field(\.listOrder)), ("region", field(\.region)),
        ("bucket", field(\.bucket)), ("planOrder", field(\.planOrder)), ("autoCarry", field(\.autoCarry)),
        ("isSticky", field(\.isSticky)), ("expiresAt", field(\.expiresAt)), ("archivedAt", field(\.archivedAt)),
        ("isRecurring", field(\.isRecurring)), ("recurringPattern", field(\.recurringPattern)),
        ("parentRecurringID", field(\.parentRecurringID)), ("carriedFromDay", field(\.carriedFromDay)),
        ("carryCount", field(\.carryCount)),
    ]

    /// Attributes without a field, each by itself: the format may not know those that another has kept.
    private mutating func takeExtra(of file: TaskDocument, since told: TaskDocument) {
        guard file.extra != told.extra else { return }
        let (before, after) = (told.extraMembers, file.extraMembers)
        var members = extraMembers
        let hasAll = file.gaps.given?.contains("extra") ?? true
        for member in before where hasAll && after[member.key] == nil { members.removeAll { $0.key == member.key } }
        for member in after where before[member.key] != member.value {
            members.removeAll { $0.key == member.key }
            members.append(member)
        }
        extra = members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }
}
