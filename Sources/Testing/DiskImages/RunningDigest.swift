/// A digest of a sequence of numbers.
package struct RunningDigest {
    package private(set) var value: UInt64

    package init(seed: UInt64) {
        value = seed
    }

    package mutating func mix(_ number: UInt64) {
        value = (value ^ number) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 32
    }

    package mutating func mix(_ number: Int) {
        mix(UInt64(bitPattern: Int64(number)))
    }

    package mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
        mix(text.utf8.count)
    }
}
