import Daybook

/// Draws that a seed determines.
struct Dice {
    private let source: SeededRandomSource

    init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    /// Any number.
    func number() -> UInt64 { source.next() }

    /// From 0 to one less than the limit.
    func below(_ limit: Int) -> Int { Int(source.next() % UInt64(max(1, limit))) }

    /// True so many times in a hundred.
    func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of several.
    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
