/// What happens rarely in the life of a store, and must survive a crash all the same.
enum LifecycleWorkloads {
    static let all: [(name: String, workload: LabWorkload)] = [
        ("creation", LabWorkload(base: .nothing, steps: [LabStep(.create)])),
        ("creation after one that died", LabWorkload(base: .abandoned, steps: [LabStep(.create)])),
        ("opening after a creation that died", LabWorkload(base: .unflushed, steps: [LabStep(.create)])),
        ("first opening", LabWorkload(base: .small)),
        ("migration", LabWorkload(base: .older, steps: [LabStep(.complete)])),
        ("rebuild", LabWorkload(base: .small, steps: [LabStep(.complete)], rebuilds: true)),
        ("import of a file", LabWorkload(steps: [LabStep(.create)], imports: true)),
        ("import into a new store", LabWorkload(base: .nothing, imports: true)),
        (
            "two processes",
            LabWorkload(
                base: .small,
                steps: [
                    LabStep(.create), LabStep(.complete, isElsewhere: true), LabStep(.importing),
                    LabStep(.pair, isElsewhere: true), LabStep(.undo), LabStep(.delete, isElsewhere: true),
                ])
        ),
        (
            "growth",
            LabWorkload(
                base: .nothing,
                steps: [
                    LabStep(.bulk), LabStep(.large, draw: 9_000), LabStep(.bulk), LabStep(.large, draw: 19_000),
                    LabStep(.bulk), LabStep(.undo), LabStep(.bulk),
                ], mapSize: 1 << 18)
        ),
        (
            "overflow values",
            LabWorkload(steps: [LabStep(.large), LabStep(.delete, draw: 4), LabStep(.large, draw: 9_999)])
        ),
    ]
}
