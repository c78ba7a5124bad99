import Daybook

// Collections, the records of one in the order of an index, and one record.
extension StoreInspector {
    func collections() throws -> JSONTree {
        try store.inspect { inspection in
            let hidden = store.journals.lock.isLocked
            let all = try inspection.collections().map { collection in
                JSONTree.object([
                    "name": .text(collection.name), "records": .number(collection.count),
                    "declaration": .text(Self.text(of: collection.declaration)),
                    "fields": .list(
                        collection.fields.map { .list(["\($0.number)", $0.name, Self.name(of: $0.kind)]) }),
                    "indexes": .list(collection.indexes.map(json)),
                ])
            }
            return .object([
                "collections": .list(all),
                "hidden": hidden ? .text("The journals are locked, so their collections are not shown.") : .null,
            ])
        }
    }

    func records(of name: String, _ query: [String: String]) throws -> JSONTree {
        try store.inspect { inspection in
            let collection = try found(name, inspection)
            let index = query["index"].flatMap { $0.isEmpty ? nil : $0 }
            let summary = collection.indexes.first { $0.name == index }
            if index != nil, summary == nil { throw InvalidRequest("\(name) has no such index. Load the page again.") }
            var after: [UInt8]?
            if let text = query["after"] {
                guard let bytes = [UInt8](hexadecimal: text) else { throw InvalidRequest("The page token is not one.") }
                after = bytes
            }
            let page: StoreInspection.RowPage
            do {
                let interval = try KeyInterval(
                    from: query["from"], to: query["to"], of: summary?.key ?? collection.key, in: zone)
                page = try inspection.page(
                    of: collection, by: index, in: interval, backwards: query["backwards"] == "1", after: after,
                    limit: min(Self.pageLimit, query["limit"].flatMap { Int($0) } ?? 50))
            } catch RecordsError.badDeclaration(let reason) {
                throw InvalidRequest("This range cannot be read: \(reason).")
            }
            let numbers = Set(page.rows.flatMap { $0.record?.fields.map(\.number) ?? [] }).sorted()
            let names = numbers.map { number in
                collection.fields.first { $0.number == number }?.name ?? "field \(number)"
            }
            let values = ValueText(zone: zone)
            return .object([
                "name": .text(name), "records": .number(collection.count), "columns": .list(names),
                "declaration": .text(Self.text(of: collection.declaration)),
                "index": .text(index), "indexes": .list(collection.indexes.map(json)),
                "key": .list(collection.key.map(Self.name)),
                "rows": .list(
                    page.rows.map { row in
                        let fields = row.record?.fields ?? []
                        return .object([
                            "key": .text(row.key.hexadecimal), "place": .list(row.place.map(values.json)),
                            "missing": .flag(row.record == nil), "damaged": .flag(row.record?.isDamaged ?? false),
                            "values": .list(
                                numbers.map { number in
                                    fields.first { $0.number == number }.map { values.json($0.value) } ?? .null
                                }),
                        ])
                    }),
                "next": .text(page.next?.hexadecimal),
            ])
        }
    }

    func record(_ text: String, of name: String, _ query: [String: String]) throws -> JSONTree {
        guard let key = [UInt8](hexadecimal: text), 1...64 ~= key.count else { throw InvalidRequest("This is no key.") }
        return try store.inspect { inspection in
            let collection = try found(name, inspection)
            let values = ValueText(zone: zone, isWhole: true)
            let record = try inspection.record(key, in: collection)
            let entries = try record.map { try inspection.entries(of: $0, in: collection) }
            let history = try inspection.changes(
                before: query["before"].flatMap { UInt64($0) }, limit: 20,
                where: { $0.entries.contains { $0.collection == name && $0.key == key } })
            return .object([
                "collection": .text(name), "key": .text(text), "exists": .flag(record != nil),
                "damaged": .flag(record?.isDamaged ?? false),
                "bytes": .text((record?.byteCount ?? 0).asBytes),
                "id": .list((record?.id ?? []).map(values.json)),
                "fields": .list(
                    (record?.fields ?? []).map { field in
                        let kind = collection.fields.first { $0.number == field.number }.map { Self.name(of: $0.kind) }
                        return .object([
                            "number": .number(field.number), "name": .text(field.shownName),
                            "kind": .text(kind ?? "not declared"), "value": values.json(field.value),
                        ])
                    }),
                "entries": .list(
                    (entries?.entries ?? []).map { entry in
                        .object([
                            "index": .text(entry.index), "key": .list(entry.key.map(values.json)),
                            "there": .flag(entry.isThere),
                        ])
                    }),
                "entriesComplete": .flag(entries?.isComplete ?? true),
                "history": .list(try history.changes.map { try json($0, inspection, of: key, in: name) }),
                "next": history.next.map { .number($0) } ?? .null,
            ])
        }
    }

    private func found(_ name: String, _ inspection: StoreInspection) throws -> StoreInspection.CollectionSummary {
        if inspection.isHidden(name) { throw JournalError.locked }
        guard let collection = try inspection.collection(name) else {
            throw InvalidRequest("There is no such collection. Go back to the list.")
        }
        return collection
    }

    private func json(_ index: StoreInspection.IndexSummary) -> JSONTree {
        .object([
            "name": .text(index.name), "unique": .flag(index.isUnique), "key": .list(index.key.map(Self.name)),
        ])
    }

    /// The name of a part of a key, for people who type one.
    private static func name(of part: KeyPart) -> String {
        let name =
            switch part.kind {
            case .bytes: "hexadecimal digits"
            case .unsigned8, .unsigned16, .unsigned32, .unsigned64, .integer32, .integer64: "number"
            case .boolean: "true or false"
            case .day: "day"
            case .optionalDay: "day or none"
            case .instant: "day or instant"
            case .uuid: "id"
            case .text: "text"
            case .word: "word"
            }
        return part.isDescending ? "\(name), descending" : name
    }

    private static func text(of declaration: StoreInspection.Declaration) -> String {
        switch declaration {
        case .program: "declared by this program"
        case .store: "of another application, which noted its fields in the store"
        case .missing: "not declared: fields have numbers, and values are shown as they look"
        }
    }

    static func name(of kind: FieldKind) -> String {
        switch kind {
        case .text: "text"
        case .bytes: "bytes"
        case .integer, .integer32, .unsigned32, .unsigned8: "number"
        case .boolean, .booleanDefaultingToTrue: "true or false"
        case .double: "decimal number"
        case .instant: "instant"
        case .day: "day"
        case .uuid: "id"
        case .enumeration(let names): names.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
        }
    }
}
