import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct CreateTests {
    @Test("A task that is created with a text has the default value in every other field [C-DM1, C-FR1, C-FR3, C-S1.6]")
    func defaults() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("Review chapter 3")
        let stored = try #require(try opened.tasks.get(task.id))
        #expect(stored == task)
        #expect(task.state == .notStarted)
        #expect(task.createdAt == opened.clock.wall)
        #expect(task.updatedAt == opened.clock.wall)
        #expect(task.completedAt == nil)
        #expect(task.scheduledDate == nil)
        #expect(task.category == nil)
        #expect(task.notes == nil)
        #expect(!task.isRecurring)
        #expect(task.recurringPattern == nil)
        #expect(task.parentRecurringID == nil)
        #expect(task.dueIsAllDay)
        #expect(task.region == .backlog)
        #expect(!task.autoCarry)
    }

    @Test("An empty or blank text is refused [C-DM4, P-OP16]", arguments: ["", "   ", "\n", "\t \u{2003}"])
    func blank(text: String) async throws {
        let opened = try TestTasks()
        await #expect(throws: TaskError.emptyText) { try await opened.tasks.create(text) }
        #expect(try opened.dump().isEmpty)
        let task = try await opened.tasks.create("x")
        await #expect(throws: TaskError.emptyText) { try await opened.tasks.edit(task.id) { $0.text = text } }
        #expect(try opened.tasks.get(task.id) == task)
    }

    @Test("Text of any length and script is stored exactly as it was typed [C-DM4, X-18]")
    func unicode() async throws {
        let opened = try TestTasks()
        let texts = [
            String(repeating: "x", count: 1001), String(repeating: "ü", count: 100_000), "👩‍👩‍👧‍👦 e\u{301} é",
            "שלום \u{202E}abc", "  spaces kept  ", "two\nlines", String(repeating: "y", count: 2 << 20),
        ]
        for text in texts {
            let task = try await opened.tasks.create(text, notes: text)
            let stored = try #require(try opened.tasks.get(task.id))
            #expect(stored.text.utf8.elementsEqual(text.utf8))
            #expect(stored.notes?.utf8.elementsEqual(text.utf8) == true)
        }
        try opened.expectSound()
    }

    @Test("A text with a NUL character or of more than 16 MiB is refused [X-18, P-OP16]")
    func unusable() async throws {
        let opened = try TestTasks()
        await #expect(throws: TaskError.unusableText) { try await opened.tasks.create("a\0b") }
        await #expect(throws: TaskError.unusableText) { try await opened.tasks.create("a", notes: "\0") }
        let long = String(repeating: "x", count: TaskTransaction.textLimit + 1)
        await #expect(throws: TaskError.unusableText) { try await opened.tasks.create(long) }
        #expect(try opened.dump().isEmpty)
    }

    @Test("A task that is created in a view is scheduled on the day of the view [C-FR12, C-S2.5, X-4]")
    func viewContext() async throws {
        let opened = try TestTasks()
        #expect(try await opened.tasks.create("i", in: .inbox).scheduledDate == nil)
        #expect(try await opened.tasks.create("t", in: .today).scheduledDate == opened.today)
        #expect(try await opened.tasks.create("u", in: .upcoming).scheduledDate == opened.tomorrow)
        #expect(try await opened.tasks.create("p", in: .past).scheduledDate == nil)
    }

    @Test("A thousand tasks of one millisecond keep the order of their creation [C-FR4, C-S1.10]")
    func order() async throws {
        let opened = try TestTasks()
        let texts = (0..<1000).map(String.init)
        for text in texts.prefix(200) { try await opened.tasks.create(text) }
        let made = try await opened.tasks.create(texts.dropFirst(200).map { NewTask($0) })
        #expect(made.map(\.text) == Array(texts.dropFirst(200)))
        #expect(try opened.texts(.inbox) == texts)
        #expect(try opened.reopened().texts(.inbox) == texts)
    }

    @Test("Tasks that are created together are all created or none")
    func bulkIsAtomic() async throws {
        let opened = try TestTasks()
        await #expect(throws: TaskError.emptyText) {
            try await opened.tasks.create([NewTask("a"), NewTask("b"), NewTask(" ")])
        }
        #expect(try opened.dump().isEmpty)
    }

    @Test("An id from outside is kept, and refused a second time [S-46, C-FR37, X-19]")
    func duplicates() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([NewTask("a", id: uuid(7))])
        await #expect(throws: TaskError.duplicate(id: uuid(7).lowercased)) {
            try await opened.tasks.create([NewTask("b", id: uuid(7))])
        }
        #expect(try opened.tasks.get(uuid(7))?.text == "a")
    }

    @Test("Every field is the same after reopening the store [C-FR36, C-DM2, C-FR32, C-NFR15, L-DM1]")
    func everyField() async throws {
        var opened = try TestTasks()
        let task = try await opened.tasks.create("all fields", on: opened.tomorrow)
        let now = opened.clock.wall
        let edited = try await opened.tasks.edit(task.id) { task in
            task.notes = "notes"
            task.category = "category"
            task.dueAt = now
            task.dueIsAllDay = false
            task.reminderAt = now.advanced(byMicroseconds: 1)
            task.listID = uuid(5)
            task.listOrder = -3
            task.region = .evening
            task.bucket = .misc
            task.planOrder = 9
            task.autoCarry = true
            task.isSticky = true
            task.expiresAt = now
            task.isRecurring = true
            task.recurringPattern = "{\"days\":[1,3]}"
            task.parentRecurringID = uuid(6)
            task.extra = "{}"
        }
        let completed = try await opened.tasks.complete(task.id)
        opened = try opened.reopened()
        let stored = try #require(try opened.tasks.get(task.id))
        #expect(stored == completed)
        #expect(stored.notes == edited.notes)
        #expect(stored.region == .evening)
        #expect(stored.parentRecurringID == uuid(6))
        try opened.expectSound()
    }
}
