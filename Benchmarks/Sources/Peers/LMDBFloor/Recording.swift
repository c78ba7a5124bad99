import Daybook
import FoundationEssentials

/// The writes of Daybook's operations, recorded beforehand in copies of a store, for plain LMDB to repeat.
struct Recording {
    let changes: [RecordedChanges]

    /// Performs each operation in a copy of the store and records its changes. `base` must be closed.
    init(of base: String, in folder: String, count: Int, _ operation: (DaybookPeer, Int) throws -> Void) throws {
        let (ours, copy) = ("\(folder)/recorded", "\(folder)/copy")
        try Folder.copy(base, to: ours)
        try Folder.copy(base, to: copy)
        defer {
            try? Folder.remove(ours)
            try? Folder.remove(copy)
        }
        // What changes is recorded, not how it is committed.
        let peer = try DaybookPeer(direct: ours, now: Moments.planned)
        defer { peer.close() }
        let original = try LMDBFloor(folder: ours, readOnly: true)
        let follower = try LMDBFloor(folder: copy, readOnly: false)
        changes = try (0..<count).map { number in
            try operation(peer, number)
            let changes = try follower.changes(from: original)
            try follower.apply(changes)
            return changes
        }
    }

    /// A description of the median write.
    var text: String {
        let median = { (numbers: [Int]) in numbers.sorted()[numbers.count / 2] }
        return "\(median(changes.map(\.puts))) puts, \(median(changes.map(\.deletes))) deletes, "
            + "\(median(changes.map(\.bytes)).grouped) bytes"
    }
}
