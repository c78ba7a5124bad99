/// Which tail rules make a difference, depending on what is kept.
struct TailChoice {
    /// The writes that end beyond the durable end of their file.
    private let extending: [(index: Int, file: FileTree.Number, end: Int)]

    init(_ history: DiskHistory) {
        extending = history.units.enumerated().compactMap { index, unit in
            guard let write = unit.write, write.range.upperBound > history.durable.length(of: write.file) else {
                return nil
            }
            return (index, write.file, write.range.upperBound)
        }
    }

    func rules(keeping kept: RangeSet<Int>) -> [TailRule] {
        let lost = extending.filter { !kept.contains($0.index) }
        if lost.isEmpty { return [.lost] }
        // A hole before a kept write is zeros in any case.
        let isShorter = lost.contains { write in
            !extending.contains { $0.file == write.file && $0.end >= write.end && kept.contains($0.index) }
        }
        return isShorter ? TailRule.allCases : [.lost, .garbage]
    }
}
