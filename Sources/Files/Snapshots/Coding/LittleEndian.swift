extension [UInt8] {
    /// Adds an integer, the least significant byte first: the order of every integer in a snapshot.
    mutating func append<Value: FixedWidthInteger>(littleEndian value: Value) {
        var rest = value
        for _ in 0..<(Value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
