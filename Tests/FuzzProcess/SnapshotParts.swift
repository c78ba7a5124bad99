import Crypto

/// A snapshot taken apart by Documentation/Format.md, so that a part can be changed and everything that guards it be made
/// right again: lengths, offsets, the manifest's id, the checksum at the end.
struct SnapshotParts {
    struct Section {
        var kind: UInt8
        var collection: UInt16
        var count: UInt32
        var content: [UInt8]
    }

    var header: [UInt8]
    /// The manifest and the blocks, without the footer.
    var sections: [Section] = []

    /// Takes a sound file apart.
    init(_ file: [UInt8]) {
        header = Array(file.prefix(64))
        var position = 64
        while file[position] != 255 {
            let length = Int(Self.number(file, position + 8, 8))
            sections.append(
                Section(
                    kind: file[position], collection: UInt16(Self.number(file, position + 2, 2)),
                    count: UInt32(Self.number(file, position + 4, 4)),
                    content: Array(file[(position + 16)..<(position + 16 + length)])))
            position += 16 + length
        }
    }

    /// The whole file.
    var file: [UInt8] {
        var header = header
        if let manifest = sections.first { header.replaceSubrange(24..<40, with: Self.id(of: manifest.content)) }
        var file = header
        var offsets: [Int] = []
        var recordBytes: UInt64 = 0
        for section in sections {
            offsets.append(file.count)
            file += [section.kind, 0] + Self.bytes(section.collection) + Self.bytes(section.count)
            file += Self.bytes(UInt64(section.content.count)) + section.content
            if section.kind == 2, section.content.count >= 8 { recordBytes &+= Self.number(section.content, 0, 8) }
        }
        let footer =
            Self.bytes(UInt32(offsets.count)) + offsets.flatMap { Self.bytes(UInt64($0)) } + Self.bytes(recordBytes)
        file += [255, 0, 0, 0, 0, 0, 0, 0] + Self.bytes(UInt64(footer.count + 32)) + footer
        return file + Array(SHA256.hash(data: file))
    }

    /// What the header says of the store that the seeds' manifests name.
    static let storeMark = Array(
        SHA256.hash(data: [0x01, 0x9C, 0x47, 0x22, 0xF0, 0xA0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1] as [UInt8]).prefix(8)
    )

    static func id(of manifest: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: manifest).prefix(16)) }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
