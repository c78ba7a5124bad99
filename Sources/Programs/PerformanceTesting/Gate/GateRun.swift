import ArgumentParser
import CommandSupport
import Daybook
import DiskRecording
import FoundationEssentials
import LabSupport
import Measuring

/// One run of a gate.
struct GateRun<Subject: Sendable> {
    let gate: PerformanceGate<Subject>
    let options: GateOptions

    /// Fifty runs include rare events such as page splits.
    private static var countedRuns: Int { 50 }

    func run() async throws {
        if let folder = options.worker { return try await serve(in: folder) }
        Interruption.begin()
        let operations = try chosenOperations()
        if options.selfTest { return try await testSelf(operations) }
        // Report unreadable input before the measurement.
        let baseline = try options.references.baseline.map { try BaselineFile(path: $0).read() }
        var (report, counted) = try await inScratch { folder, progress in
            try await measure(operations, in: folder, progress)
        }
        report.findings += Gate.findings(in: report, baseline: baseline, counted: counted)
        if let path = options.references.writeBaseline { try BaselineFile(path: path).write(counted) }
        try options.outputs.write(report, asJSON: options.json)
        if options.check { try GateVerdict(report.findings).check() }
    }

    private func chosenOperations() throws -> [GateOperation<Subject>] {
        guard let only = options.only else { return gate.operations }
        return try only.split(separator: ",").map { name in
            guard let operation = gate.operations.first(where: { $0.name == name || $0.title == name }) else {
                let names = gate.operations.map(\.name).joined(separator: ", ")
                throw ValidationError("Unknown operation \(name). Operations: \(names).")
            }
            return operation
        }
    }

    private func inScratch<Result>(
        _ body: (_ folder: String, Progress) async throws -> Result
    ) async throws -> Result {
        let progress = Progress()
        defer { progress.end() }
        return try await ScratchFolder.onDisk(for: "gate") { folder in
            try await ScratchFull.checking(folder) { try await body(folder, progress) }
        }
    }
}

// Measuring.
extension GateRun {
    private func measure(
        _ operations: [GateOperation<Subject>], in folder: String, _ progress: Progress
    ) async throws -> (BenchReport, CountedRun) {
        var report = BenchReport(
            machine: .current(for: folder), date: SystemClock().wall.description, program: LibraryVersion.current,
            size: gate.sizes[0])
        (report.name, report.unit) = (gate.name, "record")
        // First, because the other program may not be usable.
        if let program = options.references.against {
            (report.comparisons, report.findings) = try await compared(operations).compare(
                with: program, progress: progress)
        }
        // Counts are exact, and they show which operations write.
        try progress.step("filling the store")
        let template = folder + "/template"
        try await gate.place.make(in: template, size: gate.sizes[0])
        var counted = try await emptyRun(of: template)
        counted.isComplete = operations.count == gate.operations.count
        for operation in operations {
            try progress.step("counting: \(operation.title)")
            counted.counts.append(try await count(operation, template: template, in: folder))
        }
        report.counts = counted.counts
        guard !options.countsOnly else { return (report, counted) }
        report.budgets = try await budgets(operations, counted.counts, template: template, in: folder, progress)
        report.scale = try await growth(operations, in: folder, progress)
        return (report, counted)
    }

    private func emptyRun(of template: String) async throws -> CountedRun {
        let facts = try await gate.place.withSubject(in: template) { try gate.place.facts($0, template) }
        return CountedRun(
            size: gate.sizes[0], seed: 1, pageSize: facts?.pageSize, lmdb: facts?.lmdb, storeBytes: facts?.storeBytes,
            snapshotBytes: facts?.snapshotBytes, zstd: facts?.zstd ?? "", counts: [])
    }

    /// Counts runs of an operation in a fresh copy, so that its counts do not depend on what else is counted.
    private func count(
        _ operation: GateOperation<Subject>, template: String, in folder: String, with extra: SelfTest.ExtraWork? = nil
    ) async throws -> ExactCounts {
        let copy = folder + "/counted"
        try ScratchFolder.copy(template, to: copy)
        let place = gate.place
        let counter = try DiskCounter(in: folder)
        return try await place.withSubject(in: copy, .counted(with: extra)) { subject in
            let counted = CountedOperation(operation.name, runs: Self.countedRuns) { turn, inside in
                let counters = try await operation.run(with: subject, turn: turn, inside: inside)
                return counters ?? place.counters(subject)
            }
            var sum = try await counted.count(by: counter, store: place.storePath?(copy))
            if operation.isReading {
                sum.values[.allocations] = try await counted.countAllocations()
            } else if sum.values[.flushes] == 0 {
                // It has written nothing; the last transaction was that of its preparation.
                for kind in [.puts, .deletes, .gets, .cursorSteps] as [ExactCounts.Kind] { sum.values[kind] = nil }
            }
            return sum
        }
    }

    private func budgets(
        _ operations: [GateOperation<Subject>], _ counts: [ExactCounts], template: String, in folder: String,
        _ progress: Progress
    ) async throws -> [BudgetRow] {
        let copy = folder + "/budgets"
        try ScratchFolder.copy(template, to: copy)
        let disk = try DiskProbe(besides: copy)
        return try await gate.place.withSubject(in: copy) { subject in
            var rows: [BudgetRow] = []
            for (operation, counted) in zip(operations, counts) {
                try progress.step(operation.title)
                let flushes = counted.values[.flushes] ?? 0
                rows.append(
                    try await BudgetRow.measured(
                        operation.name, title: operation.title, budget: operation.budget,
                        requirements: operation.requirement.map { [$0] } ?? [], rounds: operation.rounds,
                        floor: flushes > 0 ? ("4 KiB write and flush", disk.timeFlush) : nil,
                        delay: .milliseconds(Int64(options.delay))
                    ) { try await operation.time(with: subject, turn: $0) })
            }
            return rows
        }
    }

    /// Measures growth in stores of all sizes, each beside the smallest one.
    private func growth(
        _ operations: [GateOperation<Subject>], in folder: String, _ progress: Progress
    ) async throws -> [ScaleRow] {
        let growing = operations.filter { $0.growth != nil }
        guard gate.sizes.count > 1, !growing.isEmpty else { return [] }
        var measurement = GrowthMeasurement()
        func path(_ size: Int) -> String { "\(folder)/scale-\(size)" }
        for size in gate.sizes {
            try progress.step("growth: filling a store of \(size)")
            try await gate.place.make(in: path(size), size: size)
        }
        try await gate.place.withSubject(in: path(gate.sizes[0])) { smallest in
            for (number, size) in gate.sizes.enumerated() {
                func measure(_ subject: Subject) async throws {
                    for operation in growing {
                        try progress.step("growth: \(operation.title), \(size)")
                        try await measurement.measure(
                            operation.name, size: size, rounds: max(operation.rounds / 2, 10),
                            time: { try await operation.time(with: subject, turn: $0) },
                            least: number == 0 ? nil : { try await operation.time(with: smallest, turn: $0) })
                    }
                }
                if number == 0 {
                    try await measure(smallest)
                } else {
                    try await gate.place.withSubject(in: path(size)) { try await measure($0) }
                }
            }
        }
        return growing.compactMap { measurement.row($0.name, title: $0.title, limit: $0.growth) }
    }
}

// Processes.
extension GateRun {
    private func compared(_ operations: [GateOperation<Subject>]) -> ComparedOperations {
        ComparedOperations(operations.map { ($0.name, $0.title) }, arguments: { ["--worker", $0] }) { folder in
            try await gate.place.make(in: folder, size: gate.sizes[0])
        }
    }

    /// Runs operations on request, for a comparison.
    private func serve(in folder: String) async throws {
        try await gate.place.withSubject(in: folder) { subject in
            let operations = Dictionary(uniqueKeysWithValues: gate.operations.map { ($0.name, $0) })
            var worker = OperationWorker(gate.operations.map(\.name)) { name, turn in
                try await operations[name]?.time(with: subject, turn: turn) ?? 0
            }
            try await worker.serve()
        }
    }

    private func testSelf(_ operations: [GateOperation<Subject>]) async throws {
        let report = try await inScratch { folder, progress in
            let template = folder + "/template"
            try await gate.place.make(in: template, size: gate.sizes[0])
            func counts(with extra: SelfTest.ExtraWork?) async throws -> [ExactCounts] {
                var counts: [ExactCounts] = []
                for operation in gate.operations where !operation.isReading {
                    counts.append(try await count(operation, template: template, in: folder, with: extra))
                }
                return counts
            }
            // Only into a store's transactions can work be planted.
            return try await compared(operations).testSelf(
                runs: options.runs, counting: gate.place.storePath == nil ? nil : counts(with:), progress: progress,
                as: gate.name)
        }
        try report.write(of: gate.operations.map(\.name), asJSON: options.json)
    }
}
