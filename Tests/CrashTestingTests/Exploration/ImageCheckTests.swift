import DiskRecording
import Injection
import KeyValue
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// Images of real runs, opened in this process: a test process has other threads and may not fork.
    @Suite struct ImageCheckTests {
        let folder: LabFolder

        init() throws {
            folder = try LabFolder()
        }

        private func record(_ workload: LabWorkload) throws -> Recording {
            var start = DiskImage()
            if workload.base == .small {
                let store = try LabStore(at: folder.store, of: workload.pack)
                var model = LabModel(of: workload.pack.type)
                for step in workload.pack.start {
                    let action = try #require(model.action(for: step))
                    try store.perform(action)
                    model.apply(action)
                }
                if workload.pack == .garden { _ = try store.store.consumer("gardener") }
                store.close()
                start = try FolderFiles.image(of: folder.path)
                start.removeFile(Recording.lockPath)
            }
            try FolderFiles.replace(folder.path, with: start)
            try DiskLog.begin(folder: folder.path)
            defer { DiskLog.end() }
            try LabRun(workload, in: folder.path, reporter: folder.reporter).run()
            return Recording(start: start, entries: try DiskLog.entries().normalized, lockFile: [])
        }

        /// Opens the image that keeps nothing and the one that keeps everything, at each call and each acknowledgment.
        private func problems(of workload: LabWorkload, undoesAll: Bool = false) throws -> (tried: Int, [String]) {
            let recording = try record(workload)
            return recording.problems { image, progress in
                defer { DiskLog.end() }
                try ImageCheck(
                    rules: progress.rules(of: recording, workload), folder: "\(folder.path)/image",
                    reporter: folder.reporter, undoesAll: undoesAll
                ).judge(image)
            }
        }

        static let workloads = [
            LabWorkload(base: .nothing, steps: [LabStep(.create)]),
            LabWorkload(steps: [LabStep(.create), LabStep(.complete)]), LabWorkload(steps: [LabStep(.pair)]),
            LabWorkload(base: .small), LabWorkload(steps: [LabStep(.create)], imports: true),
            LabWorkload(base: .nothing, imports: true),
            LabWorkload(of: .garden, base: .nothing, steps: [LabStep(.dig), LabStep(.plant)]),
            LabWorkload(of: .garden, steps: [LabStep(.plant), LabStep(.clear)]),
            LabWorkload(
                of: .garden, steps: [LabStep(.change), LabStep(.note), LabStep(LabOperation(rawValue: "leave"))]),
            LabWorkload(
                of: .planner, steps: [LabStep(.rollover), LabStep(.again), LabStep(.undo), LabStep(.rollover)]),
            LabWorkload(of: .planner, steps: [LabStep(.place), LabStep(.expire), LabStep(.late), LabStep(.rollover)]),
            LabWorkload(of: .lists, steps: [LabStep(.edit), LabStep(.drop), LabStep(.undo), LabStep(.link)]),
            LabWorkload(
                of: .recurrence, steps: [LabStep(.finish), LabStep(.deliver), LabStep(.reopen), LabStep(.skip)]),
            LabWorkload(of: .journals, steps: [LabStep(.draft), LabStep(.write), LabStep(.hide), LabStep(.undo)]),
        ]

        @Test("Every crash image of a store that keeps its promises passes", arguments: Self.workloads)
        func keepsItsPromises(workload: LabWorkload) throws {
            let (tried, problems) = try problems(of: workload, undoesAll: true)
            #expect(problems == [], "\(workload.text)")
            #expect(tried > workload.steps.count)
        }

        static let injectionPoints: [(InjectionPoint, String)] = [
            (.neverFlushes, "found state 0, but 2 was acknowledged and 2 issued"),
            (.acknowledgesBeforeFlush, "found state 1, but 2 was acknowledged and 2 issued"),
            (.neverFlushesMeta, "found state 1, but 2 was acknowledged and 2 issued"),
            (.indexOutsideTransaction, "against state 1: - inbox: 5 notStarted"),
            (.rollUpInSecondTransaction, "against state 2: - completions 2; + completions 1"),
            (.trimsLogTooEarly, "undo does not restore an earlier state"),
        ]

        @Test("Each broken promise of writing is reported as such", arguments: Self.injectionPoints)
        func breaksOne(injectionPoint: InjectionPoint, expected: String) throws {
            var workload = LabWorkload(steps: [LabStep(.create), LabStep(.complete)])
            workload.injectionPoint = injectionPoint
            let problems = try problems(of: workload, undoesAll: injectionPoint == .trimsLogTooEarly).1
            #expect(problems.contains { $0.contains(expected) }, "\(problems)")
        }

        @Test("Counts of a plan that a crash separates from their tasks are reported")
        func countsOfPlan() throws {
            var workload = LabWorkload(of: .planner, steps: [LabStep(.late), LabStep(.rollover)])
            workload.injectionPoint = .tallyInSecondTransaction
            let problems = try problems(of: workload).1
            #expect(problems.contains { $0.contains("against state") || $0.contains("of no step") }, "\(problems)")
        }

        @Test("Counts of entries that a crash separates from these are reported")
        func countsOfEntries() throws {
            var workload = LabWorkload(of: .journals, steps: [LabStep(.write), LabStep(.write)])
            workload.injectionPoint = .tallyInSecondTransaction
            let problems = try problems(of: workload).1
            #expect(problems.contains { $0.contains("against state") || $0.contains("of no step") }, "\(problems)")
        }

        @Test("A new store whose folder entry was not flushed is reported as gone")
        func unflushedFolder() throws {
            var workload = LabWorkload(base: .nothing, steps: [LabStep(.create)])
            workload.injectionPoint = .skipsParentFlush
            #expect(try problems(of: workload).1.contains("\(ImageViolation.storeIsGone)"))
        }

        @Test("An import that repeating does not complete is reported")
        func importLeadsElsewhere() throws {
            let workload = LabWorkload(imports: true)
            let recording = try record(workload)
            #expect(recording.states.values.joined().max() == 3)
            var rules = RunProgress().rules(of: recording, workload)
            func problem() -> String? {
                defer { DiskLog.end() }
                do {
                    let check = ImageCheck(rules: rules, folder: "\(folder.path)/image", reporter: folder.reporter)
                    try check.judge(recording.start)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
            #expect(problem() == nil)
            rules.content = rules.content.map { $0 + 1 }
            #expect(problem() == "\(ImageViolation.importIsNotCompleted)")
        }

        @Test("A workload that departs from the model is not recorded")
        func model() throws {
            // The workload expects a small store, but the folder holds none.
            try FolderFiles.replace(folder.path, with: DiskImage())
            #expect(throws: CrashLabError.self) {
                try LabRun(LabWorkload(steps: [LabStep(.create)]), in: folder.path, reporter: folder.reporter).run()
            }
        }
    }
}
