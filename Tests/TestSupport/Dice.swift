import LabSupport

/// Random choices that a seed determines, so that a failing run can be repeated.
package typealias Dice = SeededGenerator

extension SeededGenerator {
    /// Creates the choices of a seed.
    package init(_ seed: UInt64) {
        self.init(seed: seed)
    }

    /// Returns one of some elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Returns bytes below `alphabet`, of a length in a range.
    package mutating func bytes(_ lengths: ClosedRange<Int>, alphabet: Int = 256) -> [UInt8] {
        let count = lengths.lowerBound + below(lengths.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<count { bytes.append(UInt8(next() % UInt64(alphabet))) }
        return bytes
    }
}
