import Daybook

/// A copy of a store that is changed between two snapshots.
struct ChangedStore {
    let peer: DaybookPeer

    init(of dataset: Dataset, at path: String) throws {
        try Folder.copy(dataset.path(.daybook), to: path)
        peer = try DaybookPeer(folder: path, now: Moments.planned)
    }

    func close() { peer.close() }

    /// Changes each of the tasks once, the given number in each transaction.
    func change(_ ids: [UUID], batch: Int) throws {
        for start in stride(from: 0, to: ids.count, by: batch) {
            try peer.daybook.write { transaction in
                for number in start..<min(start + batch, ids.count) {
                    try change(ids[number], number, in: transaction.tasks)
                }
            }
        }
    }

    private func change(_ id: UUID, _ number: Int, in tasks: TaskTransaction) throws {
        switch number % 4 {
        case 0: try tasks.cycle(id)
        case 1: try tasks.schedule(id, on: .tomorrow)
        case 2: try tasks.edit(id) { $0.text += ", call \(number)" }
        default: try tasks.edit(id) { $0.notes = "Asked again on the phone, number \(number)" }
        }
    }

    /// Writes a snapshot and returns its size in bytes.
    @discardableResult
    func snapshot(to path: String, since: String? = nil) throws -> Int {
        try peer.daybook.files.snapshot(
            to: URL(filePath: path), options: SnapshotOptions(overwrite: true, since: since.map { URL(filePath: $0) })
        ).bytes
    }
}
