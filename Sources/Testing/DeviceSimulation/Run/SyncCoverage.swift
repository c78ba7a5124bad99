/// How often each situation occurred. One that never did proves nothing.
public enum SyncCoverage {
    /// The situations that a campaign must reach, by group.
    public static let required: [String: [String]] = [
        "network": [
            "request lost", "answer lost", "request repeated", "late request", "partition", "reconnection",
        ],
        "hub": [
            "40001", "40003, not done", "40003, done", "page split", "restarted", "restored, new epoch",
            "restored, same epoch", "emptied",
        ] + HubStatement.allCases.filter { $0 != .readSpace && $0 != .readPage }.map { "40001 at \($0.rawValue)" },
        "refusals": [
            "unavailable", "busy", "tooLarge", "upgrade", "full", "unauthorized", "revoked", "unknownSpace", "forked",
            "epochChanged", "clock",
        ],
        "devices": [
            "crash while waiting", "crash within a transaction", "reopened", "restored copy", "copy", "new identity",
            "second process", "full disk", "write on a full disk refused", "program without sync", "older version",
            "upgraded", "held by its clock", "conflict kept",
        ],
        "clocks": [
            "off by more than a day", "off by more than a year", "step forward", "step backward", "same instant",
        ],
        "time": ["an hour passes", "400 days pass"],
        "operations": ["edit", "annotate", "undo", "redo", "purge"] + operationsOfPack,
        "checks": ["propagation within 3 s", "convergence within 60 s", "edits compared"],
    ]

    /// Each verb done, or refused where it must be.
    private static var operationsOfPack: [String] {
        SyncTraits.allOperations.map(\.name).map { ["duplicate", "stray", "knot"].contains($0) ? "\($0) refused" : $0 }
    }
}
