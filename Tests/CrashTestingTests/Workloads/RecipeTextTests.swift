import Injection
import KeyValue
import Testing

@testable import CrashTesting

/// What a report prints must be what a replay reads.
@Suite struct RecipeTextTests {
    /// Values that differ in everything that the text has to carry.
    static let steps: [LabStep] = LabOperation.allCases.flatMap { operation in
        [0, 7, 996].flatMap { draw in
            [false, true].map { LabStep(operation, draw: draw, isElsewhere: $0) }
        }
    }

    static let workloads: [LabWorkload] = LabWorkload.Base.allCases.flatMap { base in
        ([nil] + InjectionPoint.ofStore).flatMap { sabotage in
            [(steps, false, 1 << 18), ([LabStep(.pair)], true, 1 << 30), ([], true, 4096), ([], false, 1 << 30)].map {
                var workload = LabWorkload(base: base, steps: $0, rebuilds: $1, mapSize: $2)
                workload.sabotage = sabotage
                return workload
            }
        }
    }

    private func expectSame(_ first: LabWorkload, _ second: LabWorkload) {
        #expect(first.base == second.base)
        #expect(first.steps == second.steps)
        #expect(first.rebuilds == second.rebuilds)
        #expect(first.mapSize == second.mapSize)
        #expect(first.sabotage == second.sabotage)
    }

    @Test("Every step comes back from its text, and no two have the same")
    func steps() {
        for step in Self.steps { #expect(LabStep(step.text) == step, "\(step.text)") }
        #expect(Set(Self.steps.map(\.text)).count == Self.steps.count)
    }

    @Test("Every workload comes back from its text, and no two have the same")
    func workloads() throws {
        for workload in Self.workloads { expectSame(try #require(LabWorkload(workload.text)), workload) }
        #expect(Set(Self.workloads.map(\.text)).count == Self.workloads.count)
    }

    @Test("A workload is written as the documents write it")
    func form() {
        var workload = LabWorkload(
            steps: [LabStep(.create), LabStep(.complete, draw: 7), LabStep(.undo, isElsewhere: true)], mapSize: 1 << 18)
        workload.rebuilds = true
        workload.sabotage = .neverFlushes
        #expect(workload.text == "small/262144:create,complete.7,undo@2,rebuild!neverFlushes")
        #expect(LabWorkload().text == "small:")
    }

    @Test("Every crash comes back from its text, whatever the image, the moment and the lock file")
    func crashes() throws {
        for image in ["keep=none", "keep=0,2-5", "keep=1/tear=0:nnoozzgg", "keep=1-2/tail=garbage"] {
            for moment in [CrashMoment.during, .after] {
                for lock in LockFile.allCases {
                    let recipe = CrashRecipe(
                        workload: Self.workloads[9], point: 17, moment: moment, image: try #require(ImageRecipe(image)),
                        lock: lock)
                    let again = try #require(CrashRecipe(recipe.text))
                    expectSame(again.workload, recipe.workload)
                    #expect(again.point == 17)
                    #expect(again.moment == moment)
                    #expect(again.image == recipe.image)
                    #expect(again.lock == lock)
                    #expect(again.text == recipe.text)
                    #expect(CrashLab.isRecipe(recipe.text))
                }
            }
        }
    }

    @Test("Every kind of fault comes back from its text, at any call")
    func faults() throws {
        for var fault in DiskFault.kinds {
            #expect(DiskFault(kindText: fault.text) == fault)
            fault.first = 31
            let recipe = FaultRecipe(workload: LabWorkload(steps: [LabStep(.create)]), fault: fault)
            let again = try #require(FaultRecipe(recipe.text))
            #expect(again.fault == fault)
            expectSame(again.workload, recipe.workload)
            #expect(CrashLab.isRecipe(recipe.text))
        }
        #expect(Set(DiskFault.kinds.map(\.text)).count == DiskFault.kinds.count)
        #expect(Set(DiskFault.kinds.map(\.name)).count == DiskFault.kinds.count)
    }

    /// A recipe is pasted into a command line between single quotes.
    @Test("No recipe has anything in it that ends a quotation")
    func quotes() {
        let texts = Self.workloads.map(\.text) + DiskFault.kinds.map(\.text) + LockFile.allCases.map(\.name)
        for text in texts { #expect(!text.contains { $0 == "'" || $0.isNewline || $0 == "|" }, "\(text)") }
    }

    @Test(
        "What is no step is refused",
        arguments: [
            "", "creates", "Create", "create.", "create.x", "create.-1", "create@", "create@3", "create@2.1", " create",
            "create.1.2", ".1", "@2", "create.99999999999999999999",
        ])
    func noStep(text: String) {
        #expect(LabStep(text) == nil)
    }

    @Test(
        "What is no workload is refused",
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
        "What is no crash is refused",
        arguments: [
            "", "small:create", "small:create|17+|keep=0", "small:create|17|keep=0|stale",
            "small:create|+|keep=0|stale",
            "small:create|17*|keep=0|stale", "small:create|x+|keep=0|stale", "small:create|-1+|keep=0|stale",
            "small:create|17+|keep|stale", "small:create|17+|keep=0|old", "small:create|17+|keep=0|",
            "small:create|17+|keep=0|stale|", "tiny:create|17+|keep=0|stale", "|17+|keep=0|stale",
        ])
    func noCrash(text: String) {
        #expect(CrashRecipe(text) == nil)
        #expect(!CrashLab.isRecipe(text))
    }

    @Test(
        "What is no fault is refused",
        arguments: [
            "fault", "fault|small:create|write.fails.28.any.1", "small:create|write.fails.28.any.1|3",
            "fault|small:create|write.fails.28.any.1|x", "fault|small:create|write.fails.28.any.1|0",
            "fault|small:create|write.fails.28.any.1|-1", "fault|small:create|write.fails.29.any.1|3",
            "fault|small:create|close.fails.28.any.1|3", "fault|tiny:create|write.fails.28.any.1|3",
            "faults|small:create|write.fails.28.any.1|3", "fault|small:create|write.fails.28.any.1|3|",
        ])
    func noFault(text: String) {
        #expect(FaultRecipe(text) == nil)
        #expect(!CrashLab.isRecipe(text))
    }
}
