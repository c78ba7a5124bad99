import DiskRecording
import DomainPacks
import Injection
import KeyValue
import Testing

@testable import CrashTesting

/// What a report prints must be accepted by a replay.
@Suite struct ReproducerTests {
    /// Values that differ in everything that the text has to represent.
    static let steps: [LabStep] = LabOperation.all(of: TaskPack.self).flatMap { operation in
        [0, 7, 996].flatMap { draw in
            [false, true].map { LabStep(operation, draw: draw, runsInPeer: $0) }
        }
    }

    static let workloads: [LabWorkload] = LabWorkload.Base.allCases.flatMap { base in
        ([nil] + InjectionPoint.ofStore).flatMap { injectionPoint in
            [(steps, false, 1 << 18), ([LabStep(.pair)], true, 1 << 30), ([], true, 4096), ([], false, 1 << 30)].map {
                var workload = LabWorkload(base: base, steps: $0, rebuilds: $1, mapSize: $2)
                workload.injectionPoint = injectionPoint
                return workload
            }
        }
    }

    private func expectSame(_ first: LabWorkload, _ second: LabWorkload) {
        #expect(first.base == second.base)
        #expect(first.steps == second.steps)
        #expect(first.rebuilds == second.rebuilds)
        #expect(first.mapSize == second.mapSize)
        #expect(first.injectionPoint == second.injectionPoint)
    }

    @Test("Every step is restored from its text, and the texts are unique")
    func steps() {
        for step in Self.steps { #expect(LabStep(step.text, of: TaskPack.self) == step, "\(step.text)") }
        #expect(Set(Self.steps.map(\.text)).count == Self.steps.count)
    }

    @Test("Every workload is restored from its text, and the texts are unique")
    func workloads() throws {
        for workload in Self.workloads { expectSame(try #require(LabWorkload(workload.text)), workload) }
        #expect(Set(Self.workloads.map(\.text)).count == Self.workloads.count)
    }

    @Test("A workload has the documented text form")
    func form() {
        var workload = LabWorkload(
            steps: [LabStep(.create), LabStep(.complete, draw: 7), LabStep(.undo, runsInPeer: true)], mapSize: 1 << 18)
        workload.rebuilds = true
        workload.injectionPoint = .neverFlushes
        #expect(workload.text == "small/262144:create,complete.7,undo@2,rebuild!neverFlushes")
        #expect(LabWorkload().text == "small:")
    }

    @Test("A workload in logged mode, and one whose second process is killed, are restored from their texts")
    func logged() throws {
        var workload = LabWorkload(
            steps: [LabStep(.create, inLastPeer: true), LabStep(.complete, draw: 3, killedAt: 12), LabStep(.undo)]
        ).logged
        #expect(workload.text == "logged+small:create@last,complete.3@2x12,undo")
        for entersInPeersOnly in [false, true] {
            workload.entersInPeersOnly = entersInPeersOnly
            let again = try #require(LabWorkload(workload.text))
            expectSame(again, workload)
            #expect(again.isLogged)
            #expect(again.entersInPeersOnly == entersInPeersOnly)
        }
        #expect(workload.text == "logged-beside+small:create@last,complete.3@2x12,undo")
        #expect(LabWorkload("logged+small:create@2x0") == nil)
        #expect(LabWorkload("small:create")?.isLogged == false)
    }

    @Test("Every crash is restored from its text, for every outcome, moment and lock file")
    func crashes() throws {
        for image in ["keep=none", "keep=0,2-5", "keep=1/tear=0:nnoozzgg", "keep=1-2/tail=garbage"] {
            for moment in [CrashMoment.during, .after] {
                for lock in LockFile.allCases {
                    let crash = RecordedCrash(
                        point: 17, moment: moment, outcome: try #require(CrashOutcome(image)), lock: lock)
                    let text = Reproducer.crash(Self.workloads[9], crash).text
                    guard case .crash(let workload, let again) = Reproducer(text) else {
                        Issue.record("\(text)")
                        continue
                    }
                    expectSame(workload, Self.workloads[9])
                    #expect(again.point == 17)
                    #expect(again.moment == moment)
                    #expect(again.outcome == crash.outcome)
                    #expect(again.lock == lock)
                    #expect(CrashLab.isReproducer(text))
                }
            }
        }
    }

    @Test("Every kind of fault is restored from its text, for any call")
    func faults() throws {
        for var fault in DiskFault.kinds {
            #expect(DiskFault(fault.text) == fault)
            fault.first = 31
            let created = LabWorkload(steps: [LabStep(.create)])
            let text = Reproducer.fault(created, fault).text
            guard case .fault(let workload, let again) = Reproducer(text) else {
                Issue.record("\(text)")
                continue
            }
            #expect(again == fault)
            expectSame(workload, created)
        }
        #expect(Set(DiskFault.kinds.map(\.text)).count == DiskFault.kinds.count)
        #expect(Set(DiskFault.kinds.map(\.name)).count == DiskFault.kinds.count)
    }

    /// A reproducer is pasted into a command line between single quotes.
    @Test("No reproducer contains a character that ends a quotation")
    func quotes() {
        let texts = Self.workloads.map(\.text) + DiskFault.kinds.map(\.text) + LockFile.allCases.map(\.name)
        for text in texts { #expect(!text.contains { $0 == "'" || $0.isNewline || $0 == "|" }, "\(text)") }
    }

    @Test(
        "An invalid step is refused",
        arguments: [
            "", "creates", "Create", "create.", "create.x", "create.-1", "create@", "create@3", "create@2.1", " create",
            "create.1.2", ".1", "@2", "create.99999999999999999999",
        ])
    func noStep(text: String) {
        #expect(LabStep(text, of: TaskPack.self) == nil)
    }

    @Test(
        "An invalid workload is refused",
        arguments: [
            "", "small", ":create", "tiny:create", "small/:create", "small/x:create", "small/-1:create",
            "small/0:create",
            "small:create;undo", "small:rebuilds", "small:create!", "small:create!lies", "!neverFlushes",
            "small:create!neverFlushes!neverFlushes", "small:create,,undo", "small:create,", "small:rebuild,create",
        ])
    func noWorkload(text: String) {
        #expect(LabWorkload(text) == nil)
    }

    @Test(
        "An invalid crash is refused",
        arguments: [
            "", "small:create", "small:create|17+|keep=0", "small:create|17|keep=0|stale",
            "small:create|+|keep=0|stale",
            "small:create|17*|keep=0|stale", "small:create|x+|keep=0|stale", "small:create|-1+|keep=0|stale",
            "small:create|17+|keep|stale", "small:create|17+|keep=0|old", "small:create|17+|keep=0|",
            "small:create|17+|keep=0|stale|", "tiny:create|17+|keep=0|stale", "|17+|keep=0|stale",
        ])
    func noCrash(text: String) {
        #expect(!CrashLab.isReproducer(text))
    }

    @Test(
        "An invalid fault is refused",
        arguments: [
            "fault", "fault|small:create|write.fails.28.any.1", "small:create|write.fails.28.any.1|3",
            "fault|small:create|write.fails.28.any.1|x", "fault|small:create|write.fails.28.any.1|0",
            "fault|small:create|write.fails.28.any.1|-1", "fault|small:create|write.fails.29.any.1|3",
            "fault|small:create|close.fails.28.any.1|3", "fault|tiny:create|write.fails.28.any.1|3",
            "faults|small:create|write.fails.28.any.1|3", "fault|small:create|write.fails.28.any.1|3|",
        ])
    func noFault(text: String) {
        #expect(!CrashLab.isReproducer(text))
    }
}
