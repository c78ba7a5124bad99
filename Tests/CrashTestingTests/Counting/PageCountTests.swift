import Daybook
import DiskRecording
import Foundation
import Testing

@testable import CrashTesting

extension WithDiskLog {
    @Suite struct PageCountTests {
        let folder: LabFolder
        let counter: DiskCounter

        init() throws {
            folder = try LabFolder()
            counter = try DiskCounter(in: folder.path)
        }

        private var store: String { "\(folder.path)/store" }

        private func pagesRead(_ operation: () async throws -> Void) async throws -> Int {
            try #require(try await counter.countPagesRead(of: store, operation).1)
        }

        // MARK: Stores

        @Test("A view reads the same pages each time, a larger view reads more, and no view reads none")
        func views() async throws {
            let daybook = try DaybookStore.open(at: store, context: .counted())
            defer { daybook.close() }
            let notes = String(repeating: "many words ", count: 30)
            try await daybook.tasks.create((0..<200).map { NewTask("Task \($0)", notes: notes) })
            try await daybook.tasks.create((0..<10).map { NewTask("Task \($0)", on: daybook.context.today) })
            // The first reads after a commit look up where the tables begin.
            _ = try (daybook.tasks.today(), daybook.tasks.inbox())
            let today = try await pagesRead { _ = try daybook.tasks.today() }
            let inbox = try await pagesRead { _ = try daybook.tasks.inbox() }
            #expect(try await pagesRead { _ = try daybook.tasks.today() } == today)
            #expect(try await pagesRead { _ = try daybook.tasks.inbox() } == inbox)
            #expect(today > 2)
            // 200 records with more than 300 bytes each.
            #expect(inbox > today + 200 * 300 / 4096 / 2)
            #expect(try await pagesRead {} == 0)
        }

        @Test("Pages read by the writer thread are counted, and its change is correct")
        func writes() async throws {
            let daybook = try DaybookStore.open(at: store, context: .counted())
            defer { daybook.close() }
            let pages = try await pagesRead { try await daybook.tasks.create("Task") }
            #expect(pages > 2)
            #expect(try daybook.tasks.inbox().map(\.text) == ["Task"])
            #expect(try daybook.verify().isClean)
        }

        @Test("Counting continues while the map grows, and the grown store is valid")
        func growth() async throws {
            var options = StoreOptions()
            options.initialMapSize = 1 << 18
            let daybook = try DaybookStore.open(at: store, context: .counted(), options: options)
            defer { daybook.close() }
            let pages = try await pagesRead {
                for number in 0..<20 {
                    try await daybook.tasks.create((0..<100).map { NewTask("Task \(number), \($0)") })
                }
            }
            let file = try FileManager.default.attributesOfItem(atPath: "\(store)/data.mdb")
            #expect(try #require(file[.size] as? Int) > 1 << 19)
            #expect(pages > 50)
            #expect(try daybook.tasks.inbox().count == 2000)
            #expect(try daybook.verify().isClean)
        }

        @Test("Counting fails for a store that was opened before, is not open, or is closed during the count")
        func refusals() async throws {
            func refusal(of store: String, _ operation: () throws -> Void = {}) async throws -> Int32? {
                do {
                    _ = try await counter.countPagesRead(of: store, operation)
                } catch CrashLabError.pagesNotCounted(_, let code) {
                    return code
                }
                return nil
            }
            let daybook = try DaybookStore.open(at: store, context: .counted())
            #expect(try await refusal(of: store) { daybook.close() } == ENOENT)
            #expect(try await refusal(of: store) == ENOENT)
            let again = try DaybookStore.open(at: store, context: .counted())
            defer { again.close() }
            #expect(try await refusal(of: store) == nil)
            _ = try await pagesRead {
                let code = try await refusal(of: store)
                #expect(code == EBUSY)
            }
            // Ending the recording ends the count.
            #expect(try DiskLog.watchPages(of: "\(store)/data.mdb", pageSize: 4096, from: 2))
            DiskLog.end()
            #expect(try again.tasks.inbox().isEmpty)
            try DiskLog.begin(folder: folder.path)
            #expect(try await refusal(of: store) == ENOENT)
        }

        @Test("A failing operation throws its own error, and the next count is correct")
        func failingOperation() async throws {
            let daybook = try DaybookStore.open(at: store, context: .counted())
            defer { daybook.close() }
            await #expect(throws: TaskError.emptyText) {
                try await pagesRead { try await daybook.tasks.create("") }
            }
            // The first read after a commit looks up where the tables begin.
            _ = try daybook.tasks.inbox()
            let pages = try await pagesRead { _ = try daybook.tasks.inbox() }
            #expect(try await pagesRead { _ = try daybook.tasks.inbox() } == pages)
        }
    }
}
