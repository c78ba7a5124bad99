/// A disk: what a power failure may leave of the changes that no flush has covered.
package enum DiskModel: String, CaseIterable, Sendable, Comparable {
    /// The death of the process: the system has everything; a long write may end after any page.
    case killed
    /// Names and sizes in the order of the calls; any subset of the bytes.
    case ext4
    /// As ext4, but a file's bytes do not precede a rename over another file.
    case xfs
    /// Names in any order, sizes apart from bytes, torn sectors: for programs that promise portability.
    case posix

    var isJournaled: Bool { self == .ext4 || self == .xfs }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The gentler disk is the lesser.
    package static func < (left: DiskModel, right: DiskModel) -> Bool { left.rank < right.rank }
}
