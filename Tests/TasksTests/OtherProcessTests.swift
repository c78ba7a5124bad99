import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

#if os(Linux) || os(macOS)
    /// The other process is a child of the test: an exit test runs its closure in one.
    @Suite struct OtherProcessTests {
        @Test("Commits of another process reach live views and the change feed [S-6, S-7, S-13]")
        func changesArrive() async throws {
            let opened = try TestTasks()
            try await opened.tasks.create("here")
            var updates = opened.tasks.changes(in: .inbox).makeAsyncIterator()
            _ = try await updates.next()
            let feed = opened.tasks.changes(after: 1).makeAsyncIterator()
            let waiting = Task { [updates] in
                var updates = updates
                return try await updates.next()
            }
            while opened.clock.sleeperCount == 0 { await Task.yield() }
            let path = opened.store.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let store = try RecordStore(at: path, schema: TaskList.schema)
                try await TaskList(store: store).create("elsewhere")
            }
            #expect(try await waiting.value?.tasks.map(\.text) == ["here", "elsewhere"])
            #expect(try await feed.next()?.sequence == 2)
            #expect(try opened.texts(.inbox) == ["here", "elsewhere"])
            try opened.expectSound()
        }
    }
#endif
