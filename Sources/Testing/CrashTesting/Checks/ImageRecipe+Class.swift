extension ImageRecipe {
    /// What the coverage table counts it under.
    func className(of unitCount: Int) -> String {
        if !tears.isEmpty { return "torn write" }
        let tail = self.tail == .lost ? "" : ", \(self.tail.rawValue) in the extension"
        return switch kept.ranges.reduce(0, { $0 + $1.count }) {
        case unitCount: "everything kept: the death of a process"
        case 0: "nothing unsynced kept\(tail)"
        case unitCount - 1: "all but one kept\(tail)"
        case 1: "only one kept\(tail)"
        default: "some kept\(tail)"
        }
    }
}
