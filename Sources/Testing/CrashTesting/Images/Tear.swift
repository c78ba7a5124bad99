/// What a torn write has left in each of its 512-byte sectors.
struct Tear: Sendable, Hashable {
    enum Sector: Character, Sendable, CaseIterable {
        case new = "n"
        /// As before the write; beyond the end of the file nothing.
        case old = "o"
        case zero = "z"
        case garbage = "g"
    }

    var sectors: [Sector]
}

extension Tear: LosslessStringConvertible {
    /// A letter for each sector, for instance "nnoooooo".
    var description: String { String(sectors.map(\.rawValue)) }

    init?(_ text: String) {
        sectors = text.compactMap(Sector.init)
        guard !sectors.isEmpty, sectors.count == text.count else { return nil }
    }
}
