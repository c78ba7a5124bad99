import LabSupport

/// Random choices that a seed determines, so that a failing run can be repeated.
package typealias Dice = SeededGenerator

extension SeededGenerator {
    /// Creates the choices of a seed.
    package init(_ seed: UInt64) {
        self.init(seed: seed)
    }

    /// Returns a number from 0 up to a bound.
    package mutating func below(_ bound: Int) -> Int { remainder(below: bound) }

    /// Returns true with a probability in percent.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

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
