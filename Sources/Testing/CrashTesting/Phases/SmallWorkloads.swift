/// Every sequence of up to three operations, each explored at every crash point.
///
/// A sequence's crash points before its last operation are those of a shorter sequence, byte by byte, so only the last
/// operation is explored.
struct SmallWorkloads: Sequence {
    let longest: Int

    func makeIterator() -> AnyIterator<LabWorkload> {
        let sequences = (1...Swift.max(1, longest)).lazy.flatMap(Self.sequences)
        return AnyIterator(sequences.filter(Self.hasEffect).map { LabWorkload(steps: $0) }.makeIterator())
    }

    private static func sequences(of length: Int) -> [[LabStep]] {
        (0..<length).reduce([[]]) { sequences, _ in
            sequences.flatMap { sequence in LabOperation.small.map { sequence + [LabStep($0)] } }
        }
    }

    /// An operation that finds nothing to be done to leaves a shorter sequence, which was tried before.
    private static func hasEffect(_ steps: [LabStep]) -> Bool {
        var model = LabWorkload.Base.model(of: .small)
        for (index, step) in steps.enumerated() {
            guard let action = model.action(for: step) else { return false }
            model.apply(action, at: LabStore.instant(ofStep: index + 1))
        }
        return true
    }
}
