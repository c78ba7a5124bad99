/// Reads the recording forward, as far as it goes by now, and counts the calls that can change what a disk holds.
struct CallReader: Sendable {
    /// How many such calls were read.
    private(set) var count = 0
    private var cursor: UInt64 = 0
    private var preparation = CallPreparation()

    /// The next call on files other than lock files; nil when there is none yet.
    ///
    /// - Parameter withBytes: whether what was written is wanted.
    mutating func next(withBytes: Bool = true) -> DiskCall? {
        while let entry = DiskLog.next(after: &cursor, withBytes: withBytes) {
            guard case .call(let call) = entry, let prepared = preparation.prepared(call) else { continue }
            if prepared.changesDisk { count += 1 }
            return prepared
        }
        return nil
    }

    /// Reads to the end of what there is, without what was written.
    mutating func skipAll() {
        while next(withBytes: false) != nil {}
    }
}
