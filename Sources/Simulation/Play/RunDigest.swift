import Daybook

/// A number for all that happened in a run: 64-bit FNV-1a, which needs no secrecy and no speed.
struct RunDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    mutating func add(_ event: StoryEvent) {
        add(TraceLine(event).text.utf8)
    }
}
