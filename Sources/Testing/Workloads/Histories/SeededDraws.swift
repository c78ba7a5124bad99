import Daybook

/// Draws from a seed. Integers only, so that every machine draws the same.
struct SeededDraws {
    private let source: SeededRandomSource

    init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    /// 64 random bits.
    func bits() -> UInt64 { source.next() }

    /// A number from 0 up to a bound, each as likely.
    func number(below bound: Int) -> Int {
        Int(bits().multipliedFullWidth(by: UInt64(max(bound, 1))).high)
    }

    /// Whether something happens that happens so many times in a thousand.
    func happens(_ timesInThousand: Int) -> Bool { number(below: 1000) < timesInThousand }

    /// An element, each as likely.
    func pick<Element>(_ elements: [Element], or other: Element) -> Element {
        elements.isEmpty ? other : elements[number(below: elements.count)]
    }

    /// The index of a weight, as likely as it is heavy.
    func index(weights: [Int]) -> Int {
        var rest = number(below: weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            rest -= weight
            if rest < 0 { return index }
        }
        return max(weights.count - 1, 0)
    }

    /// A number with a long tail: half of them below `scale`, half of the others below twice that, and so on.
    func longTail(scale: Int, doublings: Int) -> Int {
        let doubled = min(bits().trailingZeroBitCount, doublings)
        return doubled == 0 ? number(below: scale) : (scale << (doubled - 1)) + number(below: scale << (doubled - 1))
    }
}
