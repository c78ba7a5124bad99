import Daybook

// The change log as a timeline, and what undo would do to one change.
extension StoreInspector {
    func changes(_ query: [String: String]) throws -> JSONTree {
        try store.inspect { inspection in
            let page = try inspection.changes(
                before: query["before"].flatMap { UInt64($0) },
                limit: min(Self.pageLimit, query["limit"].flatMap { Int($0) } ?? 50))
            return .object([
                "changes": .list(try page.changes.map { try json($0, inspection) }),
                "next": page.next.map { .number($0) } ?? .null,
            ])
        }
    }

    func change(_ text: String) throws -> JSONTree {
        guard let sequence = UInt64(text) else { throw InvalidRequest("This is no number of a change.") }
        return try store.inspect { inspection in
            guard let change = try inspection.change(sequence), case .object(var object) = try json(change, inspection)
            else {
                throw InvalidRequest("The change log does not have change \(sequence), or not any more.")
            }
            let outcome = try inspection.undoOutcome(of: sequence)
            object["undo"] = .text(Self.text(of: outcome))
            object["effects"] = .list(try outcome.isPossible ? effects(of: change, inspection) : [])
            return .object(object)
        }
    }

    /// A change with its records.
    ///
    /// - Parameter key: shows this record only, with the values that it had before.
    func json(
        _ change: Change, _ inspection: StoreInspection, of key: [UInt8]? = nil, in collection: String? = nil
    ) throws -> JSONTree {
        let shown = change.entries.filter { key == nil || $0.key == key && $0.collection == collection }
        let visible = shown.filter { $0.collection.map { !inspection.isHidden($0) } ?? true }
        let values = ValueText(zone: zone)
        return .object([
            "sequence": .number(change.sequence), "at": .text(values.text(of: change.instant)),
            "day": .text(zone.day(of: change.instant).description),
            "operation": .text(change.label.operation), "origin": .text(change.label.origin.name),
            "isUndo": .flag(change.isUndoOrRedo), "records": .number(change.entries.count),
            "hidden": .number(shown.count - visible.count),
            "entries": .list(try visible.prefix(Self.pageLimit).map { try json($0, inspection, values) }),
        ])
    }

    private func json(_ entry: Change.Entry, _ inspection: StoreInspection, _ values: ValueText) throws -> JSONTree {
        let collection = try entry.collection.flatMap { try inspection.collection($0) }
        let before = collection.flatMap { inspection.fields(before: entry, in: $0) } ?? []
        return .object([
            "collection": .text(entry.collection), "key": .text(entry.key.hexadecimal),
            "kind": .text(Self.name(of: entry.kind)), "fields": .list(names(of: entry, collection)),
            "before": .list(
                before.filter { entry.kind != .created && entry.changedFields >> UInt64($0.number & 63) & 1 == 1 }.map {
                    .list([.text($0.shownName), values.json($0.value)])
                }),
        ])
    }

    private func names(of entry: Change.Entry, _ collection: StoreInspection.CollectionSummary?) -> [String] {
        (1...63).filter { entry.changedFields >> UInt64($0) & 1 == 1 }.map { number in
            collection?.fields.first { $0.number == number }?.name ?? "field \(number)"
        }
    }

    private func effects(of change: Change, _ inspection: StoreInspection) throws -> [String] {
        var counts: [String: Int] = [:]
        for entry in change.entries {
            let name = entry.collection ?? "a collection of another program"
            let effect =
                switch entry.kind {
                case .created: "would be deleted"
                case .deleted: "would be restored"
                case .updated:
                    inspection.isHidden(name)
                        ? "would be set back"
                        : "would have its former "
                            + names(of: entry, try inspection.collection(name)).joined(separator: ", ")
                }
            counts["of \(name) \(effect)", default: 0] += 1
        }
        return counts.sorted { $0.key < $1.key }.prefix(Self.pageLimit).map { "\($0.value.of("record")) \($0.key)" }
    }

    private static func name(of kind: Change.Entry.Kind) -> String {
        switch kind {
        case .created: "created"
        case .updated: "updated"
        case .deleted: "deleted"
        }
    }

    private static func text(of outcome: StoreInspection.UndoOutcome) -> String {
        switch outcome {
        case .next: "Undo takes this back next."
        case .possible:
            "It can be undone by itself, although other changes followed, unless that breaks a rule of its records, such as a unique name."
        case .changedSince(let later):
            "Undo refuses it: its records were changed again by \(later.count == 10 ? "at least " : "")"
                + later.map { "\($0)" }.joined(separator: ", ") + "."
        case .nothingLeft: "There is nothing to take back: it has no records, or what they were was purged."
        case .unknownCollection: "Only the application that has the types of its records can undo it."
        case .notThere: "It has left the change log."
        }
    }
}

extension StoreInspection.UndoOutcome {
    var isPossible: Bool { self == .next || self == .possible }
}
