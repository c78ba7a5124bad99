/// Check symbols of a Reed-Solomon code over a field of 2^bits elements: `count` of them find any `count` wrong
/// symbols.
package struct ReedSolomon: Sendable {
    /// The field of QR codes.
    static let qrCode = ReedSolomon(bits: 8, polynomial: 0x11D)

    private var powers: [Int] = []
    private var logarithms: [Int]
    private let order: Int

    /// - Parameter polynomial: a primitive one of that degree.
    package init(bits: Int, polynomial: Int) {
        order = 1 << bits - 1
        logarithms = [Int](repeating: 0, count: 1 << bits)
        var element = 1
        for exponent in 0..<order {
            powers.append(element)
            logarithms[element] = exponent
            element <<= 1
            if element > order { element ^= polynomial }
        }
    }

    /// The remainder of the data, shifted by `count` symbols, divided by the product of (x - a^i) for i below `count`.
    package func checkSymbols(of data: [UInt8], count: Int) -> [UInt8] {
        let generator = generator(count)
        var remainder = [Int](repeating: 0, count: count)
        for symbol in data {
            let factor = Int(symbol) ^ remainder.removeFirst()
            remainder.append(0)
            for index in 0..<count { remainder[index] ^= product(generator[index], factor) }
        }
        return remainder.map { UInt8($0) }
    }

    /// The coefficients below the leading one, the highest power first.
    private func generator(_ count: Int) -> [Int] {
        var polynomial = [1]
        for exponent in 0..<count {
            var next = polynomial + [0]
            for (index, coefficient) in polynomial.enumerated() {
                next[index + 1] ^= product(coefficient, powers[exponent])
            }
            polynomial = next
        }
        return Array(polynomial.dropFirst())
    }

    private func product(_ left: Int, _ right: Int) -> Int {
        left == 0 || right == 0 ? 0 : powers[(logarithms[left] + logarithms[right]) % order]
    }
}
