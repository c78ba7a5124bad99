import DiskRecording
import Foundation
import Injection
import KeyValue
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// What the engine flushes and when, and that each fault injection point changes exactly that.
    @Suite struct FlushTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        private func open(_ injectionPoint: InjectionPoint? = nil, isReadOnly: Bool = false) throws -> Environment {
            var configuration = EnvironmentConfiguration(isReadOnly: isReadOnly)
            configuration.injectionPoint = ArmedInjectionPoints(injectionPoint)
            return try Environment.open(
                at: folder.file("store"), configuration: configuration,
                creatingWith: NewStoreContent(tables: ["main"]))
        }

        private func put(_ key: UInt8, in environment: Environment) throws {
            let table = try environment.openTables(["main"])[0]
            try environment.write { try $0.put([key].span.bytes, [1].span.bytes, in: table) }
        }

        /// Returns what a piece of work writes and flushes, in order: pages, flush, and meta, durable or not.
        private func steps(of work: () throws -> Void) throws -> [String] {
            let begin = try folder.calls.count
            try work()
            let steps = try folder.calls[begin...].compactMap { call -> String? in
                switch call.kind {
                case .write where call.length == 120: call.isSynchronous ? "durable meta" : "meta"
                case .write: "pages"
                case .flushData, .flush: "flush"
                default: nil
                }
            }
            // Pages take one write per run.
            return steps.indices.filter { $0 == 0 || steps[$0] != steps[$0 - 1] }.map { steps[$0] }
        }

        /// Returns how often the folder that holds the store is flushed.
        private func parentFlushes(in work: () throws -> Void) throws -> Int {
            let begin = try folder.calls.count
            try work()
            let calls = try folder.calls[begin...]
            let parents = Set(calls.filter { $0.kind == .open && $0.path.isEmpty }.map(\.file))
            return calls.filter { $0.kind == .flush && parents.contains($0.file) }.count
        }

        @Test("A write is flushed when it returns, pages before the meta page, unless a fault is injected")
        func writes() throws {
            let expected: [(InjectionPoint?, write: [String], close: [String])] = [
                (nil, ["pages", "flush", "durable meta"], []),
                (.acknowledgesBeforeFlush, ["flush", "pages", "meta"], ["flush"]),
                (.neverFlushes, ["pages", "meta"], []),
                (.neverFlushesMeta, ["pages", "flush", "meta"], []),
                (.flushesTwice, ["pages", "flush", "durable meta", "flush"], []),
                (.putsTwice, ["pages", "flush", "durable meta"], []),
            ]
            for (injectionPoint, write, close) in expected {
                let name = injectionPoint?.name ?? "none"
                let environment = try open(injectionPoint)
                try #expect(steps { try put(1, in: environment) } == write, "\(name)")
                try #expect(steps { try put(2, in: environment) } == write, "\(name)")
                try #expect(steps { environment.close() } == close, "\(name)")
            }
        }

        @Test("Fault injection on the writer thread equals that of the synchronous write")
        func writerThread() throws {
            let environment = try open(.acknowledgesBeforeFlush)
            defer { environment.close() }
            let table = try environment.openTables(["main"])[0]
            let steps = try steps {
                for answer in environment.writeTogether([{ try $0.put([1].span.bytes, [1].span.bytes, in: table) }]) {
                    try answer.get()
                }
            }
            #expect(steps == ["flush", "pages", "meta"])
        }

        @Test("Creation flushes the entry of its folder once, when it is made, and the names of the store's files")
        func creation() throws {
            let environment = try open()
            defer { environment.close() }
            let calls = try folder.calls
            let made = try #require(calls.firstIndex { $0.kind == .makeFolder })
            let opening = try #require(calls[made...].first { $0.kind == .open && $0.path.isEmpty })
            let flushes = calls.indices.filter { calls[$0].kind == .flush && calls[$0].file == opening.file }
            let rename = try #require(calls.firstIndex { $0.kind == .rename })
            #expect(flushes.count == 1 && flushes[0] > made && flushes[0] < rename)
            // The switch; the new names, and those that are gone; the folders that are not needed any more.
            let steps = calls[rename...].filter { $0.kind == .rename || $0.kind == .flush }
            #expect(steps.map(\.kind) == [.rename, .flush, .rename, .rename, .flush, .flush, .flush])
        }

        @Test("A folder entry that its creator did not flush is flushed by the next opening, before it writes")
        func laterOpening() throws {
            try #expect(parentFlushes { try open(.skipsParentFlush).close() } == 0)
            try #expect(parentFlushes { try open(.skipsParentFlush).close() } == 0)
            try #expect(parentFlushes { try open(isReadOnly: true).close() } == 0)
            // Until something is written.
            for _ in 0..<2 { try #expect(parentFlushes { try open().close() } == 1) }
            var environment = try open()
            try put(1, in: environment)
            try put(2, in: environment)
            environment.close()
            try #expect(parentFlushes { environment = try open() } == 0)
            environment.close()
        }

        @Test("Creating a store flushes the entry of its new parent folder")
        func ancestors() throws {
            #expect(mkdir(folder.file("deep"), 0o700) == 0)
            let flushes = try parentFlushes {
                try Environment.open(
                    at: folder.file("deep/store"), creatingWith: NewStoreContent(tables: ["main"])
                ).close()
            }
            #expect(flushes == 1)
        }

        @Test("A creation that cannot flush the folder entry leaves nothing, and the next one makes the folder anew")
        func failingFlushOfCreation() throws {
            DiskLog.setFault(DiskFault(kind: .flush, error: EIO))
            #expect(throws: KeyValueError.system(operation: "flush the store's parent folder", code: EIO)) {
                try open()
            }
            #expect(DiskLog.faultHitCount == 1)
            #expect(access(folder.file("store"), F_OK) == -1)
            try #expect(parentFlushes { try put(1, in: open()) } == 1)
            try #expect(folder.calls(.makeFolder).filter { $0.path == "store" }.count == 2)
        }

        @Test("A failed flush of the folder entry keeps an empty store closed, and another attempt may succeed")
        func failingFlush() throws {
            try open(.skipsParentFlush).close()
            DiskLog.setFault(DiskFault(kind: .flush, error: EIO))
            #expect(throws: KeyValueError.system(operation: "flush the store's parent folder", code: EIO)) {
                try open()
            }
            #expect(DiskLog.faultHitCount == 1)
            try put(1, in: open())
        }

        @Test("An unreadable parent folder, or a file system without folder flushes, is tolerated")
        func noFlushOfFolders() throws {
            try open(.skipsParentFlush).close()
            let begin = try folder.calls(.open).count
            try open().close()
            let number = try #require(folder.calls(.open)[begin...].firstIndex { $0.path.isEmpty }) - begin + 1
            DiskLog.setFault(DiskFault(kind: .open, first: number, error: EACCES))
            try open().close()
            #expect(DiskLog.faultHitCount == 1)
            DiskLog.setFault(DiskFault(kind: .flush, error: EINVAL))
            try open().close()
            #expect(DiskLog.faultHitCount == 1)
        }
    }
}
