import FoundationEssentials

extension UUID {
    /// A UUID of version 8 that depends on bytes alone, so that whoever derives it from the same bytes gets the same one
    /// (Documentation/Format.md): their 128-bit hash (FNV-1a), with the bits of version and variant replaced.
    package init(derivedFrom bytes: some Sequence<UInt8>) {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in bytes {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        let version: UInt128 = 0x8 << 76
        let variant: UInt128 = 0x2 << 62
        let reserved: UInt128 = 0xF << 76 | 0x3 << 62
        let bits = hash & ~reserved | version | variant
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }
}
