#if os(Linux)
    import Foundation
    import KeyValue
    import Records
    import Testing

    @testable import CrashTesting

    extension WithDiskLog {
        /// What the lab found: a store that had lost its map was handed out again to who opened its folder anew.
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
                model.apply(action, at: LabStore.start)
            }

            @Test("A store that loses its map while it grows can be opened again beside the old handle")
            func reopening() throws {
                let path = folder.store
                var model = LabModel(today: LabStore.today)
                try FolderFiles.replace(folder.path, with: DiskImage())
                try DiskLog.begin(folder: folder.path)
                defer { DiskLog.end() }
                let lost = try LabStore(at: path, options: workload.options)
                DiskLog.setFault(DiskFault(kind: .map, error: ENOMEM))
                for step in workload.steps where DiskLog.faultHit == 0 { try perform(step, on: lost, &model) }
                try #require(DiskLog.faultHit == 1)
                DiskLog.clearFault()
                // What was acknowledged before the map was lost is in; the store itself says that it is closed.
                #expect(throws: RecordsError.engine(.closed)) { try lost.lines() }

                let again = try LabStore(at: path, options: workload.options)
                #expect(try again.lines() == model.state.lines)
                try perform(LabStep(.bulk), on: again, &model)
                #expect(try again.lines() == model.state.lines)
                #expect(try again.problems() == [])
                // The old handle stays what it is, and takes nothing from the new one when it goes.
                #expect(throws: RecordsError.engine(.closed)) { try lost.lines() }
                lost.close()
                #expect(try again.lines() == model.state.lines)
                again.close()
            }
        }
    }
#endif
