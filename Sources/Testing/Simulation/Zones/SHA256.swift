/// SHA-256 (FIPS 180-4), for comparing with digests that another program made: one hash
/// is no reason for a library of cryptography.
struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]

    /// The message schedule of the block at hand.
    private var words = [UInt32](repeating: 0, count: 64)

    /// The digest of the message in hexadecimal digits.
    static func hexadecimal(_ message: [UInt8]) -> String {
        var padded = message
        padded.append(0x80)
        padded.append(contentsOf: [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64))
        let bits = UInt64(message.count) * 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
        var hash = SHA256()
        for start in stride(from: 0, to: padded.count, by: 64) { hash.add(padded, start) }
        return hash.state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private mutating func add(_ bytes: [UInt8], _ start: Int) {
        for index in 0..<16 {
            let at = start + index * 4
            words[index] =
                UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8
                | UInt32(bytes[at + 3])
        }
        for index in 16..<64 {
            let x = words[index - 15]
            let y = words[index - 2]
            let s0 = (x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ (x >> 3)
            let s1 = (y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ (y >> 10)
            words[index] = words[index - 16] &+ s0 &+ words[index - 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        let constants = SHA256.constants
        for index in 0..<64 {
            let s1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)
            let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ words[index]
            let s0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)
            let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
            h = g
            g = f
            f = e
            e = d &+ t1
            d = c
            c = b
            b = a
            a = t1 &+ t2
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    /// The fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        func cubeRootFraction(_ prime: UInt64) -> UInt32 {
            // floor(cbrt(p) * 2^32) by bisection: its cube is compared with p * 2^96 in 128 bits or more.
            var low: UInt128 = 0
            var high: UInt128 = 8 << 32
            while high - low > 1 {
                let middle = (low + high) / 2
                // middle < 2^35, so its cube is below 2^105; p * 2^96 is below 2^105 as well.
                if middle * middle * middle <= UInt128(prime) << 96 { low = middle } else { high = middle }
            }
            return UInt32(truncatingIfNeeded: low)
        }
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map(cubeRootFraction)
    }()
}
