import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Journals

@Suite struct FieldTests {
    private func withThread(_ opened: TestJournal) async throws -> UUID {
        try await opened.journal.createThread("t").id
    }

    @Test("A name has 1 to 50 characters as people count them, and no other field of the thread has it [J-DM3]")
    func names() async throws {
        let opened = try TestJournal()
        let (thread, other) = (try await withThread(opened), try await withThread(opened))
        for name in ["a", String(repeating: "é", count: 50), String(repeating: "👩‍👩‍👧", count: 50)] {
            try await opened.journal.editFields { try $0.createField(name, in: thread) }
        }
        let refused: @Sendable (String) async throws -> Void = { name in
            _ = try await opened.journal.editFields { try $0.createField(name, in: thread) }
        }
        for name in ["", " ", String(repeating: "a", count: 51)] {
            #expect(await journalError { try await refused(name) } == .badFieldName)
        }
        let create: @Sendable (UUID) async throws -> Void = { thread in
            _ = try await opened.journal.editFields { try $0.createField("a", in: thread) }
        }
        #expect(await journalError { try await create(thread) } == .duplicateField)
        try await create(other)
        #expect(await journalError { try await create(uuid(1)) } == .noSuchThread)
        let field = try opened.journal.read { try $0.findField("A", in: thread) }
        try await opened.journal.editFields { try $0.renameField(field.id, to: "b") }
        #expect(try opened.journal.fields(of: thread).map(\.field.name).first == "b")
        try opened.expectSound()
    }

    @Test("Fields have an order that a person gives, and a deleted field leaves its values [J-OP8, X-11]")
    func order() async throws {
        let opened = try TestJournal()
        let thread = try await withThread(opened)
        let fields = try await opened.journal.editFields { journals in
            try ["a", "b", "c", "d"].map { try journals.createField($0, in: thread) }
        }
        let names = { try opened.journal.fields(of: thread).map(\.field.name) }
        try await opened.journal.editFields { try $0.reorderField(fields[3].id, to: .first) }
        #expect(try names() == ["d", "a", "b", "c"])
        try await opened.journal.editFields { try $0.reorderField(fields[0].id, to: .after(fields[2].id)) }
        #expect(try names() == ["d", "b", "c", "a"])
        try await opened.journal.editFields { try $0.orderFields([fields[2].id, fields[0].id], in: thread) }
        #expect(try names() == ["c", "a", "d", "b"])
        #expect(try opened.journal.fields(of: thread).map(\.order) == [0, 1, 2, 3])
        let entry = try await opened.journal.addEntry(
            NewEntry("x", values: [fields[0].id: "first", fields[1].id: " "]), to: thread)
        try await opened.journal.editFields { try $0.deleteField(fields[0].id) }
        #expect(try names() == ["c", "d", "b"])
        let values = try #require(try opened.journal.filled([entry]).first).values
        #expect(values.map(\.field.name) == ["b", "a"] && values.map(\.value) == [nil, "first"])
        // The name is free again; the deleted field takes no new values.
        try await opened.journal.editFields { try $0.createField("a", in: thread) }
        let error = await journalError {
            try await opened.journal.addEntry(NewEntry("y", values: [fields[0].id: "z"]), to: thread)
        }
        #expect(error == .noSuchField)
        try opened.expectSound()
    }

    @Test("A field is created at a place among the others [J-OP8, J-DM3]")
    func createdInOrder() async throws {
        let opened = try TestJournal()
        let thread = try await withThread(opened)
        for (name, order) in [("a", nil), ("b", 0), ("c", 1), ("d", 99)] as [(String, Int?)] {
            try await opened.journal.createField(name, in: thread, order: order)
        }
        #expect(try opened.journal.fields(of: thread).map(\.field.name) == ["b", "c", "a", "d"])
        let before = try opened.dump()
        #expect(
            await journalError { try await opened.journal.createField("e", in: thread, order: -1) } == .noSuchField)
        #expect(try opened.dump() == before)
        try opened.expectSound()
    }

    @Test("One call saves all fields of a thread: it adds, renames, orders, groups and deletes what differs [J-OP8]")
    func saveAll() async throws {
        let opened = try TestJournal()
        let thread = try await withThread(opened)
        let names = { try opened.journal.fields(of: thread).map(\.field.name) }
        try await opened.journal.saveCustomFields(
            [
                EditedField(id: uuid(11), name: "a", isGroup: true),
                EditedField(id: uuid(12), name: "b", groupID: uuid(11)),
                EditedField(id: uuid(13), name: "c"), EditedField(id: uuid(14), name: "d"),
            ], of: thread)
        #expect(try names() == ["a", "b", "c", "d"])
        #expect(try opened.journal.fields(of: thread).map(\.groupID) == [nil, uuid(11), nil, nil])
        let entry = try await opened.journal.addEntry(
            NewEntry("x", values: [uuid(13): "third", uuid(14): "fourth"]), to: thread)
        // What is as it was is not written.
        let sequence = try opened.store.read { try $0.lastSequence() }
        let same = try opened.journal.fields(of: thread)
        #expect(try await opened.journal.saveCustomFields(same.map(EditedField.init), of: thread) == same)
        #expect(try opened.store.read { try $0.lastSequence() } == sequence)
        let saved = try await opened.journal.saveCustomFields(
            [
                EditedField(id: uuid(15), name: "e"), EditedField(id: uuid(13), name: "b"),
                EditedField(id: uuid(12), name: "c"), EditedField(id: uuid(11), name: "a"),
            ], of: thread)
        #expect(
            saved.map(\.field.name) == ["e", "b", "c", "a"]
                && saved.map(\.field.isGroup) == [false, false, false, false])
        #expect(saved.map(\.groupID) == [nil, nil, nil, nil] && saved.map(\.order) == [0, 1, 2, 3])
        let values = try #require(try opened.journal.filled([entry]).first).values
        #expect(values.map(\.field.name) == ["b", "d"] && values.map(\.value) == ["third", "fourth"])
        try opened.expectSound()
        // All of it is one change.
        try await opened.store.write { try $0.undo() }
        #expect(try names() == ["a", "b", "c", "d"])
        try opened.expectSound()
    }

    @Test("Fields that cannot be saved together change nothing [J-OP8, J-DM3, J-DM4]")
    func saveNone() async throws {
        let opened = try TestJournal()
        let (thread, other) = (try await withThread(opened), try await withThread(opened))
        let field = try await opened.journal.createField("field", in: thread)
        let foreign = try await opened.journal.createField("foreign", in: other)
        let gone = try await opened.journal.createField("gone", in: thread)
        try await opened.journal.editFields { try $0.deleteField(gone.id) }
        try await opened.journal.addEntry(NewEntry("x", values: [field.id: "v"]), to: thread)
        let before = try opened.dump()
        func edited(_ number: Int, _ name: String, isGroup: Bool = false, in group: Int? = nil) -> EditedField {
            EditedField(id: uuid(number), name: name, isGroup: isGroup, groupID: group.map { uuid($0) })
        }
        let cases: [(JournalError, [EditedField])] = [
            (.badFieldName, [edited(21, " ")]), (.badFieldName, [edited(21, String(repeating: "a", count: 51))]),
            (.unusableText, [edited(21, "a\0")]), (.duplicateField, [edited(21, "a"), edited(22, "a")]),
            (.duplicateID, [edited(21, "a"), edited(21, "b")]),
            (.noSuchField, [EditedField(id: gone.id, name: "gone")]),
            (.noSuchField, [edited(21, "a", in: 22)]), (.notAGroup, [edited(21, "a", in: 22), edited(22, "b")]),
            (.groupCycle, [edited(21, "a", isGroup: true, in: 22), edited(22, "b", isGroup: true, in: 21)]),
            (.foreignField, [EditedField(id: foreign.id, name: "f")]),
            (.groupWithValue, [EditedField(id: field.id, name: "field", isGroup: true)]),
        ]
        for (expected, fields) in cases {
            #expect(await journalError { try await opened.journal.saveCustomFields(fields, of: thread) } == expected)
            #expect(try opened.dump() == before, "\(expected)")
        }
        #expect(await journalError { try await opened.journal.saveCustomFields([], of: uuid(1)) } == .noSuchThread)
    }

    @Test("Values belong to fields of the entry's thread that are no groups, at most one for each [J-DM5, J-OP8]")
    func values() async throws {
        let opened = try TestJournal()
        let (thread, other) = (try await withThread(opened), try await withThread(opened))
        let (field, group, foreign) = try await opened.journal.editFields { journals in
            (
                try journals.createField("field", in: thread),
                try journals.createField("group", in: thread, isGroup: true),
                try journals.createField("foreign", in: other)
            )
        }
        let before = try opened.dump()
        for (id, expected) in [
            (foreign.id, JournalError.foreignField), (group.id, .groupWithValue), (uuid(1), .noSuchField),
        ] {
            let error = await journalError {
                try await opened.journal.addEntry(NewEntry("x", values: [id: "v"]), to: thread)
            }
            #expect(error == expected)
        }
        #expect(try opened.dump() == before)
        let entry = try await opened.journal.addEntry(NewEntry("x", values: [field.id: "1"]), to: thread)
        try await opened.journal.editEntry(entry.id, "x", values: [field.id: "2"])
        let filled = try #require(try opened.journal.filled([entry]).first)
        #expect(filled.values.map(\.value) == ["2"])
        #expect(try opened.journal.entry(entry.id)?.isEdited == true)
        // A field with values cannot become a group.
        let error = await journalError { _ = try await opened.journal.editFields { try $0.makeGroup(field.id) } }
        #expect(error == .groupWithValue)
        try opened.expectSound()
    }

    @Test("A group has fields of its thread, and is never in itself [J-DM4]")
    func groups() async throws {
        let opened = try TestJournal()
        let (thread, other) = (try await withThread(opened), try await withThread(opened))
        let (a, b, c, foreign) = try await opened.journal.editFields { journals in
            (
                try journals.createField("a", in: thread, isGroup: true),
                try journals.createField("b", in: thread, isGroup: true), try journals.createField("c", in: thread),
                try journals.createField("a", in: other, isGroup: true)
            )
        }
        func put(_ child: UUID, _ parent: UUID?) async -> JournalError? {
            await journalError { try await opened.journal.editFields { try $0.put(child, into: parent) } }
        }
        #expect(await put(b.id, a.id) == nil)
        #expect(await put(c.id, b.id) == nil)
        #expect(await put(a.id, b.id) == .groupCycle)
        #expect(await put(a.id, a.id) == .groupCycle)
        #expect(await put(b.id, c.id) == .notAGroup)
        #expect(await put(c.id, foreign.id) == .foreignField)
        #expect(await put(c.id, uuid(1)) == .noSuchField)
        #expect(try opened.journal.fields(of: thread).map(\.groupID) == [nil, a.id, b.id])
        try opened.expectSound()
        try await opened.journal.editFields { try $0.deleteField(b.id) }
        #expect(try opened.journal.fields(of: thread).map(\.groupID) == [nil, nil])
        #expect(await put(c.id, nil) == nil)
        try opened.expectSound()
    }

    @Test("Verification reports values and groups that no operation makes [J-DM4, J-DM5]")
    func invariants() async throws {
        let opened = try TestJournal()
        let (thread, other) = (try await withThread(opened), try await withThread(opened))
        let (field, group, foreign) = try await opened.journal.editFields { journals in
            (
                try journals.createField("field", in: thread),
                try journals.createField("group", in: thread, isGroup: true),
                try journals.createField("foreign", in: other)
            )
        }
        let entry = try await opened.journal.addEntry("x", to: thread)
        try await opened.store.write { transaction in
            for id in [foreign.id, group.id] {
                try transaction.put(EntryFieldValue(entry: entry.id, field: id, value: "v"))
            }
            try transaction.put(CustomFieldGroup(child: field.id, parent: foreign.id))
            try transaction.put(CustomFieldGroup(child: group.id, parent: field.id))
            try transaction.put(CustomFieldGroup(child: foreign.id, parent: group.id))
            var same = field
            same.id = uuid(7)
            try transaction.put(same)
        }
        var problems: [String] = []
        try opened.journal.checkInvariants { problems.append($0) }
        let parts = [
            "a value is for a field of another thread", "its group is in another thread",
            "it is in a field that is no group",
        ]
        for part in parts { #expect(problems.contains { $0.hasSuffix(part) }, "\(part)") }
    }

    @Test("Groups that devices have put into each other while they were apart are shown outside of groups [J-DM4]")
    func circles() async throws {
        let opened = try TestJournal()
        let thread = try await withThread(opened)
        let fields = try await opened.journal.editFields { journals in
            try ["a", "b", "c"].map { try journals.createField($0, in: thread, isGroup: true) }
        }
        try await opened.store.write { transaction in
            try transaction.put(CustomFieldGroup(child: fields[0].id, parent: fields[1].id))
            try transaction.put(CustomFieldGroup(child: fields[1].id, parent: fields[0].id))
        }
        try await opened.journal.editFields { try $0.put(fields[2].id, into: fields[0].id) }
        #expect(try opened.journal.fields(of: thread).map(\.groupID) == [nil, nil, fields[0].id])
        try await opened.journal.editFields { try $0.put(fields[0].id, into: nil) }
        #expect(try opened.journal.fields(of: thread).map(\.groupID) == [nil, fields[0].id, fields[0].id])
        try opened.expectSound()
    }

    @Test("A thread takes 20 fields with values in a thousand entries [J-OP8]")
    func many() async throws {
        let opened = try TestJournal()
        let thread = try await withThread(opened)
        let fields = try await opened.journal.editFields { journals in
            try (0..<20).map { try journals.createField("field \($0)", in: thread).id }
        }
        try await opened.journal.write { journals in
            for number in 0..<1000 {
                let values = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1, "\(number) \($0)") })
                try journals.addEntry(NewEntry("entry \(number)", values: values), to: thread)
            }
        }
        let filled = try opened.journal.filled(opened.journal.entries(of: thread))
        #expect(filled.count == 1000)
        for (number, entry) in filled.enumerated() {
            #expect(entry.values.map(\.value) == (0..<20).map { "\(number) \($0)" })
        }
        try opened.expectSound()
    }
}
