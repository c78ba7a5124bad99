import Injection
import KeyValue
import Records
import TestSupport
import Testing

@testable import CrashTesting

/// Each point that splits an operation on tasks does so, and the store is right when all parts are done.
@Suite struct SplitOperationTests {
    /// How many transactions a store has made.
    private func transactions(_ store: LabStore) -> UInt64 { store.store.environment.statistics.lastTransaction }

    @Test(
        "An armed point makes several transactions of an operation; without it, the operation is one",
        arguments: InjectionPoint.ofSplitOperations + [.searchIndexOutsideTransaction])
    func split(point: InjectionPoint) throws {
        let workload = NegativeControlWorkloads.workload(for: point)
        let step = try #require(workload.steps.last)
        for armed in [nil, point] as [InjectionPoint?] {
            let folder = try LabFolder()
            var options = StoreOptions()
            options.injectionPoint = ArmedInjectionPoints(armed)
            let store = try LabStore(at: folder.store, of: workload.pack, options: options)
            defer { store.close() }
            var model = LabModel(of: workload.pack.type)
            for step in workload.pack.start + workload.steps.dropLast() {
                let action = try #require(model.action(for: step))
                try store.perform(action)
                model.apply(action)
            }
            let before = transactions(store)
            let action = try #require(model.action(for: step))
            try store.perform(action)
            model.apply(action)
            let count = transactions(store) - before
            #expect(armed == nil ? count == 1 : count > 1, "\(count)")
            #expect(try store.lines() == model.lines)
            #expect(try store.problems() == [])
        }
    }
}
