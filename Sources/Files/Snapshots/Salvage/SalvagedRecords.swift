/// The records that a chain of damaged snapshots leaves, in the order of collections and keys: the newest version of each that is
/// there.
struct SalvagedRecords {
    /// How far a record can be trusted.
    enum Status {
        /// It is the last version.
        case certain
        /// It is as it was written, but a lost block of a later snapshot may have changed or deleted it.
        case former
        /// Its bytes have no checksum that is right.
        case unproved
    }

    private var cursors: [Cursor]
    private(set) var name = ""
    private(set) var key: [UInt8] = []
    private(set) var value: [UInt8] = []
    private(set) var status = Status.certain

    /// - Parameter files: the snapshots, the oldest first.
    init(_ files: [SalvagedSnapshot]) {
        cursors = files.map(Cursor.init)
    }

    /// Moves to the next record; false at the end.
    mutating func next() -> Bool {
        while let first = cursors.indices.filter({ !cursors[$0].isAtEnd }).min(by: { isBefore($0, $1) }) {
            let equal = cursors.indices.filter { !cursors[$0].isAtEnd && !isBefore(first, $0) }
            // The cursors are at the first record or at later ones, so that those which are not later are at the same.
            let newest = equal[equal.count - 1]
            let isRemoval = cursors[newest].isRemoval
            name = cursors[newest].name
            key.replace(with: cursors[newest].key)
            value.replace(with: cursors[newest].value)
            status = cursors[newest].file.isTrusted(name) ? .certain : .unproved
            if status == .certain, cursors[(newest + 1)...].contains(where: { $0.mayHaveLost(in: name) }) {
                status = .former
            }
            for index in equal { cursors[index].moveToNext() }
            if !isRemoval { return true }
        }
        return false
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (cursors[left], cursors[right])
        return left.name == right.name ? left.key.precedes(right.key) : left.name.precedesInBytes(right.name)
    }

    /// A position in the records of one snapshot.
    private struct Cursor {
        let file: SalvagedSnapshot
        private(set) var name = ""
        private(set) var key: [UInt8] = []
        private(set) var value: [UInt8] = []
        private(set) var isRemoval = false
        private(set) var isAtEnd = false
        private var reader: BlockReader?
        /// The number of the next block.
        private var next = 0
        private var isFirstOfBlock = false

        init(_ file: SalvagedSnapshot) {
            self.file = file
            moveToNext()
        }

        /// Whether a record of a collection between the one before and this one may be lost.
        func mayHaveLost(in collection: String) -> Bool {
            if !file.isTrusted(collection) { return true }
            return isAtEnd ? file.hasGap(before: next) : isFirstOfBlock && file.hasGap(before: next - 1)
        }

        mutating func moveToNext() {
            isFirstOfBlock = false
            while true {
                // Each block was decoded to its end before.
                if let isRecord = (try? reader?.next(key: &key, value: &value)) ?? nil {
                    isRemoval = !isRecord
                    return
                }
                guard next < file.blocks.count else {
                    isAtEnd = true
                    return
                }
                name = file.blocks[next].name
                reader = file.reader(of: file.blocks[next])
                next += 1
                isFirstOfBlock = true
            }
        }
    }
}
