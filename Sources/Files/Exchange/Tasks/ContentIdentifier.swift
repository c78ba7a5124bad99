import ByteStreams
import FoundationEssentials

/// Ids for records that come without one: made from the content, so that the same record has the same id every time.
enum ContentIdentifier {
    /// The id of a record that has none yet.
    static let placeholder = UUID(bigEndian: 0)

    /// The id of an object's members.
    ///
    /// Two tasks of a file that are equal in every attribute are one task.
    static func id(of members: [JSONMember]) -> UUID {
        // Taskwarrior computes these two anew for every export.
        let stable = members.filter { $0.key != "id" && $0.key != "urgency" }
        return id(of: JSONValue.canonicalText(of: stable))
    }

    /// A UUID of version 8 from a 128-bit hash (FNV-1a) of a text.
    static func id(of text: String) -> UUID {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in text.utf8 {
            hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        let version: UInt128 = 0x8 << 76
        let variant: UInt128 = 0x2 << 62
        let reserved: UInt128 = 0xF << 76 | 0x3 << 62
        return UUID(bigEndian: hash & ~reserved | version | variant)
    }
}
