import Daybook
import Foundation
import TestSupport
import Testing

/// Reminders in copies of a store.
@Suite struct RepeatedReminderTests {
    @Test("A restored store and one that imports an export have the same schedule of reminders [L-PR9]")
    func schedule() async throws {
        let opened = try TestDaybook()
        let now = opened.clock.wall
        for number in 0..<20 {
            let task = try await opened.tasks.create("\(number)")
            try await opened.tasks.remind([task.id], .at(now.advanced(bySeconds: Int64(3600 - 60 * number))))
            if number % 5 == 0 { try await opened.tasks.complete(task.id) }
            if number % 7 == 3 { try await opened.tasks.delete(task.id) }
        }
        let range = now..<now.advanced(bySeconds: 7200)
        let schedule = try opened.tasks.schedule(in: range)
        #expect(schedule.count == 14)
        #expect(schedule.map(\.at) == schedule.map(\.at).sorted())

        let file = opened.folder.file("a.snapshot")
        try await opened.daybook.files.snapshot(to: file)
        let copy = opened.folder.file("copy")
        try await StoreFiles.restore(file, to: copy, context: opened.daybook.context)
        let restored = try DaybookStore.open(at: copy, context: opened.daybook.context)
        #expect(try restored.tasks.schedule(in: range) == schedule)
        restored.close()

        let other = try TestDaybook(seed: 2)
        _ = try await other.import(try opened.export(as: .json), as: .json)
        // Positions among the tasks of a day are given anew by an import.
        func notifications(_ schedule: [ScheduledReminder]) -> [[String?]] {
            schedule.map { [$0.identifier, "\($0.at)", $0.title, $0.body] }
        }
        #expect(try notifications(other.tasks.schedule(in: range)) == notifications(schedule))
    }
}
