import FoundationEssentials

/// Ids for records that come without one: made from the content, so that the same record has the same id every time.
enum ContentIdentifier {
    /// The id of a record that has none yet.
    static let placeholder = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// A UUID of version 8 from a 128-bit hash (FNV-1a) of the members.
    ///
    /// Two tasks of a file that are equal in every attribute are one task.
    static func id(of members: [JSONMember]) -> UUID {
        // Taskwarrior computes these two anew for every export.
        let stable = members.filter { $0.key != "id" && $0.key != "urgency" }
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in JSONValue.canonicalText(of: stable).utf8 {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: hash >> (120 - 8 * index)) }
        return UUID(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6) & 0x0F | 0x80, byte(7),
                byte(8) & 0x3F | 0x80, byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }
}
