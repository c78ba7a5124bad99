extension Baseline {
    /// Returns the differences between a run and this baseline. Lower counts are differences as well, since the
    /// baseline must be exact.
    public func findings(for run: CountedRun) -> [GateFinding] {
        if let reason = reasonNotToCompare(run) {
            return [GateFinding(subject: "baseline", rule: .count, verdict: .inconclusive, message: reason)]
        }
        var findings: [GateFinding] = []
        if let bytes = run.storeBytesPerThousand, let was = storeBytesPerThousand, bytes != was {
            findings.append(
                Self.changed(
                    "store", "store: \(bytes) bytes for each thousand of its size, \(was) in the baseline."))
        }
        // Snapshots depend on the version of zstd; an unknown version is not judged.
        if let bytes = run.snapshotBytes, let was = snapshotBytes[run.zstd], bytes != was {
            findings.append(
                Self.changed(
                    "snapshot",
                    "snapshot: \(bytes) bytes with zstd \(run.zstd), \(was) in the baseline."))
        }
        findings += run.counts.flatMap(differences)
        let counted = Set(run.counts.map(\.operation))
        for name in operations.keys.sorted() where run.isComplete && !counted.contains(name) {
            findings.append(Self.changed(name, "\(name): it is in the baseline, and this program does not count it."))
        }
        // These are compared within one toolchain only.
        findings += run.counts.flatMap { differences(in: $0, builtWith: run.toolchain) }
        return findings
    }

    func reasonNotToCompare(_ run: CountedRun) -> String? {
        if size != run.size || seed != run.seed {
            return """
                The baseline is of a store of size \(size) from seed \(seed), this run is of \(run.size) from seed \
                \(run.seed): nothing can be compared. Write a new baseline with --write-baseline.
                """
        }
        if pageSize != run.pageSize {
            return """
                The baseline is of pages of \(pageSize ?? 0) bytes, this machine's have \(run.pageSize ?? 0): nothing can be compared. \
                Run it on another machine, or keep a separate baseline for this kind.
                """
        }
        if lmdb != run.lmdb {
            return """
                The baseline is of LMDB \(lmdb ?? "none"), this program has \(run.lmdb ?? "none"): nothing can be compared. Build with the same \
                LMDB, or write a new baseline with --write-baseline.
                """
        }
        return nil
    }

    /// Compares the universal counts of one operation.
    private func differences(in counts: ExactCounts) -> [GateFinding] {
        let name = counts.operation
        let universal = counts.values.filter { $0.key.isUniversal }
        guard let entry = operations[name] else {
            return universal.isEmpty ? [] : [Self.changed(name, "\(name): it is not in the baseline.")]
        }
        guard entry.runs == counts.runs else { return [Self.otherRuns(name, entry.runs, counts.runs)] }
        return ExactCounts.Kind.allCases.compactMap { kind in
            switch (entry.counts[kind], universal[kind]) {
            case (nil, nil): return nil
            case (let was?, let found?):
                return was == found ? nil : Self.differs(name, kind, from: was, to: found, runs: entry.runs)
            case (nil, _?): return Self.changed(name, "\(name): \(kind.title) are not in the baseline.")
            case (_?, nil):
                return GateFinding(
                    subject: name, rule: .count, verdict: .inconclusive,
                    message: "\(name): \(kind.title) could not be counted on this machine. Run it on another one.")
            }
        }
    }

    /// Compares the counts that depend on the toolchain. What one side lacks is ignored, since not every machine can
    /// count everything.
    private func differences(in counts: ExactCounts, builtWith toolchain: String) -> [GateFinding] {
        guard let entry = toolchains[toolchain]?[counts.operation], entry.runs == counts.runs else { return [] }
        return ExactCounts.Kind.allCases.compactMap { kind in
            guard let was = entry.counts[kind], let found = counts.values[kind],
                !kind.isUniversal, (found - was).magnitude > kind.tolerance(of: was)
            else { return nil }
            return Self.differs(counts.operation, kind, from: was, to: found, runs: entry.runs)
        }
    }

    private static func differs(
        _ name: String, _ kind: ExactCounts.Kind, from was: Int, to found: Int, runs: Int
    ) -> GateFinding {
        let difference = Double(found - was) / Double(max(runs, 1))
        return changed(
            name,
            """
            \(name): \(found) \(kind.title) in \(runs) runs, \(was) in the baseline \
            (\(difference > 0 ? "+" : "")\(difference.toHundredths) a run).
            """)
    }

    private static func otherRuns(_ name: String, _ was: Int, _ found: Int) -> GateFinding {
        GateFinding(
            subject: name, rule: .count, verdict: .inconclusive,
            message: """
                \(name): counted in \(found) runs, in the baseline in \(was): nothing can be compared. \
                Write a new baseline with --write-baseline.
                """)
    }

    private static func changed(_ subject: String, _ message: String) -> GateFinding {
        GateFinding(
            subject: subject, rule: .count, verdict: .worse,
            message: "\(message) If it is meant, run with --write-baseline FILE and have the change reviewed.")
    }
}

extension ExactCounts.Kind {
    /// The name for people.
    var title: String {
        switch self {
        case .flushes: "flushes"
        case .writeCalls: "calls that write"
        case .bytesWritten: "bytes written"
        case .pagesWritten: "pages written"
        case .pagesRead: "pages read"
        case .puts: "entries put"
        case .deletes: "entries deleted"
        case .gets: "look-ups"
        case .cursorSteps: "steps of cursors"
        case .allocations: "allocations"
        case .instructions: "instructions"
        }
    }

    /// Returns the allowed difference: 1 % for instructions, which depend on the processor and on memory layout.
    func tolerance(of count: Int) -> UInt {
        self == .instructions ? count.magnitude / 100 : 0
    }
}
