import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import Threading

@testable import CivilTime

@Suite(.timeLimit(.minutes(15))) struct ZoneSourceTests {
    private func zone(_ name: String) throws -> Zone { try Zone(name) }

    @Test("Tasks that wait for a zone change wake when it is set")
    func whoWaitsForAnotherZoneIsWokenWhenItIsSet() async throws {
        let (berlin, tokyo) = (try zone("Europe/Berlin"), try zone("Asia/Tokyo"))
        let source = SettableZone(berlin)
        let waiting = Task { try await source.waitForChange(from: berlin) }
        while source.waiterCount == 0 { await Task.yield() }
        source.set(berlin)
        #expect(source.waiterCount == 1)
        source.set(tokyo)
        try await waiting.value
        #expect(source.zone == tokyo)
        #expect(source.waiterCount == 0)
    }

    @Test("A change before the wait is not missed")
    func aChangeBeforeTheWaitIsNotMissed() async throws {
        let (berlin, tokyo) = (try zone("Europe/Berlin"), try zone("Asia/Tokyo"))
        let source = SettableZone(berlin)
        source.set(tokyo)
        try await source.waitForChange(from: berlin)
    }

    @Test("Waiters are woken in the order in which they came")
    func waitersAreWokenInTheOrderInWhichTheyCame() async {
        // One task runs at a time, in the order in which they were resumed.
        let executor = OneAtATime()
        let woken = Numbers()
        let signal = Signal()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask(executorPreference: executor) {
                    try? await signal.wait(past: 0)
                    woken.all.withLock { $0.append(number) }
                }
                while signal.waiterCount == number { await Task.yield() }
            }
            signal.raise()
            await group.waitForAll()
        }
        #expect(woken.all.withLock { $0 } == Array(0..<50))
    }

    private final class OneAtATime: TaskExecutor {
        private let queue = DispatchQueue(label: "one at a time")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test("A cancelled wait throws and leaves nothing behind")
    func aCancelledWaitThrowsAndLeavesNothingBehind() async throws {
        let berlin = try zone("Europe/Berlin")
        let settable = SettableZone(berlin)
        let folder = try LocaltimeFolder("Europe/Berlin")
        for source in [settable, folder.source, UnwatchedZone { berlin }] as [any ZoneSource] {
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await source.waitForChange(from: berlin)
            }
            await #expect(throws: CancellationError.self) { try await before.value }
            let during = Task { try await source.waitForChange(from: berlin) }
            await Task.yield()
            during.cancel()
            await #expect(throws: CancellationError.self) { try await during.value }
        }
        #expect(settable.waiterCount == 0)
        #expect(folder.source.waiterCount == 0)
        #expect(!folder.source.isWatching)
    }

    #if os(Linux)
        @Test("The system zone reports that the link was replaced")
        func theSystemsZoneTellsWhenTheLinkIsReplaced() async throws {
            let folder = try LocaltimeFolder("Europe/Berlin")
            let source = folder.source
            let berlin = source.zone
            #expect(berlin.identifier == "Europe/Berlin")
            #expect(!source.isWatching)
            let waiting = (0..<3).map { _ in Task { try await source.waitForChange(from: berlin) } }
            while source.waiterCount < 3 { await Task.yield() }
            #expect(source.isWatching)
            try folder.link(to: "Asia/Tokyo")
            for task in waiting { try await task.value }
            #expect(source.zone.identifier == "Asia/Tokyo")
            // Nothing is open while no task waits.
            #expect(!source.isWatching)
            // A wait does not report an earlier replacement.
            try await source.waitForChange(from: berlin)
        }

        @Test("A watch leaves no file open")
        func aWatchLeavesNoOpenFileBehind() async throws {
            let folder = try LocaltimeFolder("Europe/Berlin")
            let berlin = folder.source.zone
            for _ in 0..<100 {
                let waiting = Task { try await folder.source.waitForChange(from: berlin) }
                while folder.source.waiterCount == 0 { await Task.yield() }
                waiting.cancel()
                _ = await waiting.result
            }
            // Dispatch closes them shortly after.
            let clock = SystemClock()
            for _ in 0..<2_000 where openFiles("inotify") >= 10 {
                try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 1_000))
            }
            #expect(openFiles("inotify") < 10)
        }

        @Test("Changes of other files in the folder wake no task")
        func otherFilesWakeNoTask() async throws {
            let folder = try LocaltimeFolder("Europe/Berlin")
            let source = folder.source
            let berlin = source.zone
            let waiting = Task { try await source.waitForChange(from: berlin) }
            while source.waiterCount == 0 { await Task.yield() }
            try folder.write("resolv.conf")
            try folder.link(to: "Europe/Berlin")
            try folder.link(to: "Asia/Tokyo")
            try await waiting.value
            #expect(source.zone.identifier == "Asia/Tokyo")
        }

        @Test("A zone of the environment is not watched")
        func aZoneOfTheEnvironmentIsNotWatched() async throws {
            let folder = try LocaltimeFolder("Europe/Berlin", variable: "Asia/Tokyo")
            let source = folder.source
            let tokyo = source.zone
            #expect(tokyo.identifier == "Asia/Tokyo")
            let waiting = Task { try await source.waitForChange(from: tokyo) }
            while source.waiterCount == 0 { await Task.yield() }
            #expect(!source.isWatching)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }

        @Test("Without a watch, only cancellation ends the wait")
        func aFolderThatCannotBeWatchedIsWaitedForInVain() async throws {
            let source = SystemZoneSource(localtimePath: "/nonexistent/localtime", variable: { nil })
            #expect(source.zone == .utc)
            let waiting = Task { try await source.waitForChange(from: .utc) }
            while source.waiterCount == 0 { await Task.yield() }
            #expect(!source.isWatching)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    #endif
}

/// A folder with a link to a zone file, like `/etc`.
private final class LocaltimeFolder: Sendable {
    let source: SystemZoneSource
    private let folder = TemporaryFolder()

    init(_ name: String, variable: String? = nil) throws {
        source = SystemZoneSource(localtimePath: folder.file("localtime"), variable: { variable })
        try link(to: name)
    }

    /// Replaces the link like `timedatectl`: renames a new link over the old one.
    func link(to name: String) throws {
        let new = folder.file("new")
        try FileManager.default.createSymbolicLink(
            atPath: new, withDestinationPath: ZoneDirectory.current.path(of: name))
        #expect(rename(new, folder.file("localtime")) == 0)
    }

    func write(_ name: String) throws {
        try Data("x".utf8).write(to: URL(filePath: folder.file(name)))
    }
}

/// Numbers in order of arrival.
private final class Numbers: Sendable {
    let all = Mutex<[Int]>([])
}
