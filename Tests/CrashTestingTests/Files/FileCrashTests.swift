import ByteStreams
import DiskRecording
import Exchange
import Glibc
import Injection
import Snapshots
import Testing

@testable import CrashTesting

extension WithDiskLog {
    @Suite struct FileCrashTests {
        static let files = FileOperation.all.filter {
            if case .file = $0.promise { true } else { false }
        }

        @Test(
            "After every crash an export or a snapshot is complete, absent, or the previous file",
            arguments: files.indices)
        func keepsItsPromise(index: Int) throws {
            let (tried, problems) = try FileTrial(Self.files[index]).problems()
            #expect(problems == [])
            #expect(tried > 40)
        }

        // The exports come first; snapshots have no fault injection points.
        @Test(
            "A broken promise of the export's file is reported as such", arguments: InjectionPoint.ofFiles,
            [0, 1])
        func breaksOne(injectionPoint: InjectionPoint, index: Int) throws {
            let isReplacing = index > 0
            let problems = Set(try FileTrial(Self.files[index]).problems(injectionPoint).problems)
            switch injectionPoint {
            case .skipsFileFlush: #expect(problems == ["the file is torn"])
            case .skipsFolderFlush:
                let expected =
                    isReplacing ? "the file is the old one although it was replaced" : "the file is gone"
                #expect(problems.contains(expected), "\(problems)")
            case .writesInPlace: #expect(problems == ["the file is torn"])
            default: Issue.record("no expectation for \(injectionPoint)")
            }
        }

        @Test("Each fault injection point changes exactly the calls it names")
        func calls() throws {
            let kinds: [DiskCall.Kind] = [.open, .write, .flush, .close, .link, .rename, .remove]
            func steps(_ injectionPoint: InjectionPoint?, _ index: Int) throws -> [String] {
                // Between the two marks: calls before and after belong to the store.
                let calls = try FileTrial(Self.files[index]).record(injectionPoint).recording.entries.split { entry in
                    if case .mark = entry { true } else { false }
                }
                let steps = Array(calls[1]).calls.filter { kinds.contains($0.kind) }.map { "\($0.kind)" }
                return steps.indices.filter { $0 == 0 || steps[$0] != steps[$0 - 1] }.map { steps[$0] }
            }
            let folder = ["open", "flush", "close"]
            try #expect(steps(nil, 0) == ["open", "write", "flush", "close", "link", "remove"] + folder)
            try #expect(steps(nil, 1) == ["open", "write", "flush", "close", "rename"] + folder)
            try #expect(steps(.skipsFileFlush, 0) == ["open", "write", "close", "link", "remove"] + folder)
            try #expect(steps(.skipsFolderFlush, 1) == ["open", "write", "flush", "close", "rename"])
            try #expect(steps(.writesInPlace, 1) == ["open", "write", "flush", "close"] + folder)
        }

        // MARK: Folders

        @Test(
            "A restore that copies, flushes and exchanges keeps its promise at every crash",
            arguments: [false, true])
        func restores(replacing: Bool) throws {
            let limits = ExplorationLimits(subsetLimit: 3, samples: 4, tears: 1)
            let (tried, problems) = try FileTrial(CopyingRestore.operation(replacing: replacing))
                .problems(limits: limits)
            #expect(problems == [])
            #expect(tried > 30)
        }

        @Test("A faulty restore is detected", arguments: CopyingRestore.Fault.allCases)
        func badRestores(fault: CopyingRestore.Fault) throws {
            let limits = ExplorationLimits(subsetLimit: 3, samples: 4, tears: 1)
            let problems = Set(
                try FileTrial(CopyingRestore.operation(replacing: true, fault)).problems(limits: limits).problems
            )
            switch fault {
            case .removesFirst: #expect(problems.contains("the store that was there is gone"), "\(problems)")
            case .skipsFolderFlush:
                let expected = "the target holds neither the old nor the new content"
                #expect(problems.contains(expected), "\(problems)")
            case .forgetsOldStore: #expect(problems.contains("the store that was replaced is gone"), "\(problems)")
            }
        }

        @Test("After every crash of a restore over a store, the old one has a name that no later restore removes")
        func replacedStore() throws {
            let operation = try #require(FileOperation.named("restore over a store"))
            let recording = try FileTrial(operation).record()
            let target = "\(OperationFolder.home)/restored"
            let old = try #require(recording.start.files["\(target)/data.mdb"])
            var places: [String: Int] = [:]
            for point in recording.crashPoints {
                for outcome in point.outcomes(limits: ExplorationLimits(subsetLimit: 7, samples: 8, tears: 0)) {
                    let image = point.history.image(outcome)
                    let paths = image.files.keys.filter { $0.hasSuffix("/data.mdb") && image.files[$0] == old }
                    let isSafe = paths.contains { path in
                        path == "\(target)/data.mdb" || path.contains(/restored(\/arriving\/|\/|\.)replaced-/)
                    }
                    #expect(isSafe, "\(point.index): \(paths)")
                    for path in paths { places[path, default: 0] += 1 }
                }
            }
            // In its place, and while it leaves: in the folder that keeps it, which is moved twice.
            #expect(places.count == 4, "\(places)")
        }

        @Test(
            "A compaction and a bulk load leave the old or the new store at every crash, and whatever call fails",
            arguments: ["compact", "bulk load"])
        func replacement(name: String) throws {
            let trial = try FileTrial(try #require(FileOperation.named(name)))
            let limits = ExplorationLimits(subsetLimit: 3, samples: 4, tears: 1)
            let (tried, problems) = try trial.problems(limits: limits)
            #expect(problems == [])
            #expect(tried > 30)
            let kinds: [DiskCall.Kind] = [.write, .open, .flush, .rename, .makeFolder]
            let faults = try trial.problems(of: kinds.map { DiskFault(kind: $0, error: EIO) })
            #expect(faults.problems == [])
            #expect(faults.tried > 10)
        }

        @Test(
            "A restore leaves the old or the new store at every crash, and whatever call fails [S-72]",
            arguments: ["restore", "restore over a store"])
        func restore(name: String) throws {
            let trial = try FileTrial(try #require(FileOperation.named(name)))
            let limits = ExplorationLimits(subsetLimit: 4, samples: 6, tears: 1)
            let (tried, problems) = try trial.problems(limits: limits)
            #expect(problems == [])
            #expect(tried > 50)
            let kinds: [DiskCall.Kind] = [.write, .open, .flush, .rename, .makeFolder]
            let faults = try trial.problems(of: kinds.map { DiskFault(kind: $0, error: EIO) })
            #expect(faults.problems == [])
            #expect(faults.tried > 10)
        }

        @Test("A restore that does not flush the names of the new store's files is reported [S-72]")
        func unflushedRestore() throws {
            let trial = try FileTrial(try #require(FileOperation.named("restore over a store")))
            #expect(try !trial.problems(.skipsParentFlush).problems.isEmpty)
        }

        @Test("A bulk load that does not flush the new file's name is reported: an acknowledged record may be gone")
        func unflushedBulkLoad() throws {
            let trial = try FileTrial(try #require(FileOperation.named("bulk load")))
            #expect(try !trial.problems(.skipsCompactionFlush).problems.isEmpty)
        }

        @Test(
            "A removal leaves the whole store or nothing at every crash, and whatever call fails, it can be completed")
        func wipe() throws {
            let trial = try FileTrial(try #require(FileOperation.named("wipe")))
            let (tried, problems) = try trial.problems()
            #expect(problems == [])
            #expect(tried > 10)
            let kinds: [DiskCall.Kind] = [.remove, .removeFolder, .open, .flush]
            let faults = try trial.problems(of: kinds.map { DiskFault(kind: $0, error: EIO) })
            #expect(faults.problems == [])
            #expect(faults.tried > 5)
        }

        @Test(
            "A removal whose last flush is left out is reported: files of the store may be back after a power failure")
        func unflushedWipe() throws {
            let trial = try FileTrial(try #require(FileOperation.named("wipe")))
            let problems = try trial.problems(.skipsFolderFlush).problems
            #expect(problems.contains { $0.contains("is left") }, "\(problems)")
        }

        @Test("What is written after a compaction is durable: the new file's name was flushed before")
        func writeAfterCompaction() throws {
            let operation = FileOperation(name: "compact and write", promise: .folder("store")) { place in
                let store = try LabStore(at: place.store)
                let daybook = try store.daybook()
                return {
                    _ = try daybook.compact()
                    try store.perform(.create(900, on: nil, noteLength: 0))
                }
            }
            let recording = try FileTrial(operation).record()
            let file = "\(OperationFolder.home)/store/data.mdb"
            let end = try #require(recording.end.files[file])
            var tried = 0
            for point in recording.crashPoints where point.isAcknowledged {
                for outcome in point.outcomes(limits: ExplorationLimits(subsetLimit: 3, samples: 8, tears: 0)) {
                    #expect(point.history.image(outcome).files[file] == end)
                    tried += 1
                }
            }
            #expect(tried > 0)
        }

        // MARK: Faults

        @Test(
            "Whatever call of an export fails, no partial file remains and the export can be repeated",
            arguments: files.indices)
        func exportFaults(index: Int) throws {
            let (tried, problems) = try FileTrial(Self.files[index]).problems(of: DiskFault.fileKinds)
            #expect(problems == [])
            #expect(tried > 30)
        }

        @Test(
            "Whatever call of a restore fails, no partial store remains and the old store is kept",
            arguments: [false, true])
        func restoreFaults(replacing: Bool) throws {
            let faults = ([.write, .open, .flush, .rename, .makeFolder] as [DiskCall.Kind]).map {
                DiskFault(kind: $0, error: ENOSPC)
            }
            let (tried, problems) = try FileTrial(CopyingRestore.operation(replacing: replacing))
                .problems(of: faults)
            #expect(problems == [])
            #expect(tried > 10)
        }

        @Test("Whatever call of an import fails, the store is valid and the import can be completed")
        func importFaults() throws {
            let operation = try #require(FileOperation.named("import"))
            let trial = try FileTrial(operation)
            // A full disk only: the lab covers the rest.
            let faults = DiskFault.fileKinds.filter { $0.error == DiskFault.fileKinds[0].error }
            let (tried, problems) = try trial.problems(of: faults, states: try states(trial))
            #expect(problems == [])
            #expect(tried > 10)
        }

        /// Returns the states that an import passes through.
        private func states(_ trial: FileTrial) throws -> Set<UInt64> {
            _ = try trial.record()
            let start = try trial.record().start
            try FolderFiles.replace(trial.folder.path, with: start)
            try DiskLog.begin(folder: trial.folder.path)
            defer { DiskLog.end() }
            try LabRun(LabWorkload(imports: true), in: trial.folder.path, reporter: trial.folder.reporter).run()
            let recording = Recording(start: start, entries: try DiskLog.entries(), lockFile: [])
            #expect(recording.states.count == 4)
            return Set(recording.states.keys)
        }

        @Test("A file left behind by an error is detected, and so is an untyped error")
        func badFaults() throws {
            struct Nothing: Error {}
            let careless = FileOperation(name: "careless", promise: .file("tasks.json")) { place in
                {
                    let path = place.path("tasks.json")
                    try FolderFiles.write([1], to: path + ".1.tmp")
                    guard rename(path + ".1.tmp", path) == 0 else {
                        throw FileError(code: errno, path: path)
                    }
                }
            }
            let trial = try FileTrial(careless)
            let left = try trial.problems(of: [DiskFault(kind: .rename, error: EIO)])
            #expect(left.tried == 1)
            #expect(left.problems.first?.contains("a file is left: home/tasks.json.N.tmp") == true, "\(left)")
            let untyped = try trial.problems(of: [DiskFault(kind: .write, error: ENOSPC)])
            #expect(untyped.problems.first?.contains("the error is untyped") == true, "\(untyped)")
        }
    }
}
