/// What every full run must have tried at least once; a kind that is never reached is a failure of the lab.
enum RequiredCoverage {
    static func unreached(in coverage: Coverage) -> [String] {
        var unreached: [String] = []
        for (group, names) in groups {
            for name in names where coverage.counts[group]?[name] == nil { unreached.append("\(group): \(name)") }
        }
        if coverage.recoveriesInterrupted == 0 { unreached.append("a recovery that is interrupted") }
        return unreached
    }

    /// How many kinds there are, the last one being a recovery that is interrupted.
    static var count: Int { groups.reduce(1) { $0 + $1.value.count } }

    static let groups: KeyValuePairs<String, [String]> = [
        "crash points": [DiskCall.Kind.flush, .flushData, .link, .makeFolder, .open, .rename, .write].map { "\($0)" }
            + [
                "acknowledged"
            ],
        "images": [
            "everything kept: the death of a process", "nothing unsynced kept", "all but one kept", "only one kept",
            "some kept", "torn write", "some kept, zeros in the extension", "some kept, garbage in the extension",
        ],
        "lock file": LockFile.allCases.map(\.name),
        "workloads": LifecycleWorkloads.all.map(\.name) + (1...3).map { "small, of \($0)" }
            + ArchiveOperation.all.filter(\.hasImages).map(\.name)
            + (0..<LongWorkloads.forms).map { "long, \(LongWorkloads.formName($0))" },
        "faults": DiskFault.kinds.map(\.name),
        "answers to faults": ["in", "out, writing goes on", "out, writing stopped", "unknown, writing stopped"],
        "file faults": DiskFault.archiveKinds.map(\.name),
        "file faults by operation": ArchiveOperation.all.map(\.name),
        "answers to file faults": ["done", "an error"],
        "bit rot: answers": ["found by verify", "refused to open", "ended verify by a signal", "harmless"],
        "opening races": Set(OpeningRace.all.map(\.kind)).sorted(),
        "situations": Situation.allCases.map(\.rawValue),
    ]
}
