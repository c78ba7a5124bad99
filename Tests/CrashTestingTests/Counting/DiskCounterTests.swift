import Daybook
import DiskRecording
import Foundation
import Injection
import KeyValue
import Testing

@testable import CrashTesting

extension WithDiskLog {
    @Suite struct DiskCounterTests {
        let folder: LabFolder

        init() throws {
            folder = try LabFolder()
        }

        private func opened(_ injectionPoint: InjectionPoint? = nil, _ name: String = "store") throws -> DaybookStore {
            var options = StoreOptions.direct
            options.injectionPoint = ArmedInjectionPoints(injectionPoint)
            return try DaybookStore.open(at: "\(folder.path)/\(name)", context: .counted(), options: options)
        }

        @Test("Each call is counted by kind, and a page written twice counts once")
        func calls() async throws {
            let path = folder.path
            let (_, counts) = try await DiskCounter.count(in: path) {
                let file = open("\(path)/data.mdb", O_RDWR | O_CREAT, 0o600)
                let durable = open("\(path)/data.mdb", O_RDWR | O_DSYNC, 0o600)
                let bytes = [UInt8](repeating: 1, count: 5000)
                // Pages 0 and 1, then 1 and 2, then 2.
                #expect(pwrite(file, bytes, 5000, 0) == 5000)
                #expect(pwrite(file, bytes, 4097, 4096) == 4097)
                #expect(pwrite(durable, bytes, 10, 8192) == 10)
                let other = open("\(path)/other", O_RDWR | O_CREAT, 0o600)
                #expect(write(other, bytes, 100) == 100)
                #expect(fsync(other) == 0)
                #expect(fdatasync(file) == 0)
                for descriptor in [file, durable, other] { close(descriptor) }
                #expect(rename("\(path)/other", "\(path)/third") == 0)
            }
            var expected = DiskCounts()
            expected.flushes = 2
            expected.synchronousWrites = 1
            expected.writeCalls = 4
            expected.bytesWritten = 5000 + 4097 + 10 + 100
            expected.pagesWritten = 3
            expected.filesOpened = 3
            expected.renames = 1
            #expect(counts == expected)
        }

        @Test("Failed calls and calls before the operation are not counted")
        func others() async throws {
            let counter = try DiskCounter(in: folder.path)
            let file = open("\(folder.path)/file", O_RDWR | O_CREAT, 0o600)
            defer { close(file) }
            #expect(write(file, [1] as [UInt8], 1) == 1)
            DiskLog.setFault(DiskFault(kind: .flush, error: EIO))
            let (_, counts) = try await counter.count { #expect(fsync(file) != 0) }
            #expect(counts == DiskCounts())
            #expect(try counter.countsSinceLast() == DiskCounts())
            #expect(fsync(file) == 0)
            #expect(try counter.countsSinceLast().flushes == 1)
        }

        @Test(
            "Creating a task flushes once and writes the meta page synchronously; a view makes no calls"
        )
        func create() async throws {
            let counter = try DiskCounter(in: folder.path)
            let daybook = try opened()
            defer { daybook.close() }
            for number in 0..<20 {
                let (_, counts) = try await counter.count { try await daybook.tasks.create("Task \(number)") }
                #expect(counts.flushes == 1)
                #expect(counts.synchronousWrites == 1)
                #expect(counts.filesOpened == 0)
                #expect(counts.renames == 0)
                #expect((2...counts.pagesWritten).contains(counts.writeCalls))
                // Whole pages, and the part of the meta page that LMDB rewrites.
                #expect(counts.bytesWritten == 4096 * (counts.pagesWritten - 1) + 120)
            }
            let (_, counts) = try await counter.count { try daybook.tasks.inbox() }
            #expect(counts == DiskCounts())
        }

        /// Pages split now and then, so that the sum over many says what one costs.
        @Test("A task with three tags writes one page more than one without at most [N-3]")
        func tagged() async throws {
            let counter = try DiskCounter(in: folder.path)
            func pages(_ name: String, _ make: (Int) -> NewTask) async throws -> Int {
                let daybook = try DaybookStore.open(
                    at: "\(folder.path)/\(name)", context: .counted(), options: .direct)
                defer { daybook.close() }
                try await daybook.tasks.create((0..<500).map(make))
                var sum = 0
                for number in 500..<540 {
                    let (_, counts) = try await counter.count { try await daybook.tasks.create([make(number)]) }
                    sum += counts.pagesWritten
                }
                return sum
            }
            let plain = try await pages("plain") { NewTask("Task \($0)") }
            let tagged = try await pages("tagged") { number in
                var new = NewTask("Task \(number)")
                new.tags = ["home", "errand", "number \(number % 7)"]
                return new
            }
            #expect(tagged - plain <= 40, "\(plain) pages without tags, \(tagged) with them")
        }

        @Test("Creating a task through the commit log flushes once, and writes nothing synchronously")
        func createThroughLog() async throws {
            let counter = try DiskCounter(in: folder.path)
            var options = StoreOptions()
            options.commitLog = .always(checkpointPages: 1_000, logLength: 1 << 22)
            let daybook = try DaybookStore.open(
                at: "\(folder.path)/logged", context: .counted(), options: options)
            defer { daybook.close() }
            try await daybook.tasks.create("Task that enters")
            for number in 0..<20 {
                let (_, counts) = try await counter.count { try await daybook.tasks.create("Task \(number)") }
                #expect(counts.flushes == 1)
                #expect(counts.synchronousWrites == 0)
            }
        }

        @Test("64 creates at once write fewer pages of the log and of the data file than one by one")
        func groupThroughLog() async throws {
            let counter = try DiskCounter(in: folder.path)
            var options = StoreOptions()
            options.commitLog = .always(checkpointPages: 1_000, logLength: 1 << 22)
            let path = "\(folder.path)/logged"
            let daybook = try DaybookStore.open(at: path, context: .counted(), options: options)
            defer { daybook.close() }
            try await daybook.tasks.create((0..<1_000).map { NewTask("Task \($0) of before") })
            func cost(_ work: () async throws -> Void) async throws -> (log: Int, all: Int) {
                let before = try #require(try CommitLogState(ofStore: path)).logBytes
                let (_, counts) = try await counter.count { try await work() }
                let after = try #require(try CommitLogState(ofStore: path)).logBytes
                return ((after - before) / 4096, counts.pagesWritten)
            }
            let alone = try await cost {
                for number in 0..<64 { try await daybook.tasks.create("Task \(number) alone") }
            }
            let together = try await cost {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<64 {
                        group.addTask { _ = try await daybook.tasks.create("Task \(number) of many at once") }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(together.log < 48)
            #expect(together.log < alone.log)
            #expect(together.all < alone.all)
        }

        @Test("An additional flush adds exactly one to the count and changes nothing else")
        func oneMoreFlush() async throws {
            let counter = try DiskCounter(in: folder.path)
            let file = open("\(folder.path)/file", O_RDWR | O_CREAT, 0o600)
            defer { close(file) }
            let stores = [try opened(), try opened(.flushesTwice, "slow"), try opened(nil, "third")]
            var all: [DiskCounts] = []
            for daybook in stores {
                let (_, counts) = try await counter.count {
                    try await daybook.tasks.create("Task")
                    if daybook === stores[2] { #expect(fsync(file) == 0) }
                }
                all.append(counts)
                daybook.close()
            }
            #expect(all[0].flushes == 1)
            #expect(all[1].flushes == 2)
            #expect(all[1] == all[2])
            all[1].flushes = 1
            #expect(all[1] == all[0])
        }

        @Test("An additional put adds exactly one to the write's counters and changes nothing else")
        func oneMorePut() async throws {
            let counter = try DiskCounter(in: folder.path)
            var counted: [(DiskCounts, OperationCounters)] = []
            for injectionPoint in [nil, .putsTwice] as [InjectionPoint?] {
                let daybook = try opened(injectionPoint, injectionPoint?.name ?? "store")
                defer { daybook.close() }
                let task = try await daybook.tasks.create("Task")
                let (_, counts) = try await counter.count { try await daybook.tasks.cycle(task.id) }
                counted.append((counts, daybook.lastWriteCounters))
                #expect(try daybook.verify().isClean)
                #expect(try daybook.tasks.inbox().map(\.text) == ["Task"])
            }
            counted[0].1.puts += 1
            #expect(counted[0] == counted[1])
        }
    }
}
