import DiskRecording
import Foundation
import KeyValue
import Records
import Tasks
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// A regression found by the crash lab: opening a folder returned a store that had lost its map.
    @Suite struct LostMapTests {
        let folder: LabFolder

        init() throws {
            folder = try LabFolder()
        }

        private let workload = LabWorkload(
            base: .nothing, steps: [LabStep(.bulk), LabStep(.bulk), LabStep(.large, draw: 19_000)], mapSize: 1 << 18
        )

        private func perform(_ step: LabStep, on store: LabStore, _ model: inout LabModel) throws {
            let action = try #require(model.action(for: step))
            try store.perform(action)
            model.apply(action)
        }

        @Test("A store that loses its map while growing can be opened again beside the old handle")
        func reopening() throws {
            let path = folder.store
            var model = LabModel()
            try FolderFiles.replace(folder.path, with: DiskImage())
            try DiskLog.begin(folder: folder.path)
            defer { DiskLog.end() }
            let lost = try LabStore(at: path, options: workload.options)
            DiskLog.setFault(DiskFault(kind: .map, error: ENOMEM))
            for step in workload.steps where DiskLog.faultHitCount == 0 { try perform(step, on: lost, &model) }
            try #require(DiskLog.faultHitCount == 1)
            DiskLog.clearFault()
            // What was acknowledged before the map was lost is there; the store reports that it is closed.
            #expect(throws: RecordsError.engine(.closed)) { try lost.lines() }

            let again = try LabStore(at: path, options: workload.options)
            #expect(try again.lines() == model.lines)
            try perform(LabStep(.bulk), on: again, &model)
            #expect(try again.lines() == model.lines)
            #expect(try again.problems() == [])
            // The old handle stays closed and does not affect the new one when it is released.
            #expect(throws: RecordsError.engine(.closed)) { try lost.lines() }
            lost.close()
            #expect(try again.lines() == model.lines)
            again.close()
        }
    }
}

/// What each error means for its caller.
@Suite struct ReportedResultTests {
    struct Unknown: Error {}

    static let expected: [(KeyValueError, String)] = [
        (.commitUnknown(code: 5), "unknown, writing stopped"),
        (.commitFailed(code: 5), "not committed, writing stopped"),
        (.writingStopped, "not committed, writing stopped"), (.closed, "not committed, writing stopped"),
        (.storageFull(detail: ""), "not committed, writing continues"),
        (.busy(operation: "commit", code: 4), "not committed, writing continues"),
    ]

    @Test("An error has the same meaning whichever module passes it on")
    func modules() {
        for (error, name) in Self.expected {
            #expect(ReportedResult(error).name == name)
            #expect(ReportedResult(RecordsError.engine(error)).name == name)
            #expect(ReportedResult(TaskError.store(.engine(error))).name == name)
        }
    }

    @Test("An error of another type is reported as untyped")
    func untyped() {
        #expect(ReportedResult(Unknown()).name == "untyped")
    }
}
