import CivilTime

/// Secret bytes. They have no description and no mirror, so that they cannot reach a log by accident.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Draws new bytes.
    init(count: Int, random: any RandomSource) {
        bytes = random.bytes(count)
    }

    /// Redacted.
    public var description: String { "(secret)" }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RandomSource {
    /// The next bytes.
    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes.append(bigEndian: next()) }
        return Array(bytes.prefix(count))
    }

    /// The id of a new device. 0 is none.
    func device() -> UInt64 {
        while true {
            let device = next()
            if device != 0 { return device }
        }
    }
}
