import ByteStreams
import CivilTime
import Exchange
import LabSupport

/// The zstd decoder, followed by a reader.
struct ZstdTarget: FuzzTarget {
    private let corpus: [[UInt8]]
    private let mutator: Mutator

    init(seed: UInt64) throws {
        var documents = SeedDocuments(random: SeededGenerator(seed: seed))
        var files: [[UInt8]] = []
        for count in [1, 2, 5, 40] {
            var file = TaskImport()
            file.tasks = documents.tasks(count)
            let plain = try ImportTarget.written(file, .ndjson, .utc)
            for level in [1, 3, 19] {
                let compressed = try Self.compressed(plain, level)
                files += [compressed, Self.withoutChecksum(compressed), Self.withoutChecksum(compressed)]
            }
        }
        // Two frames, a skippable one, one that requests a window of 128 MiB, and one that expands greatly.
        files.append(files[0] + files[3])
        files.append([0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + files[0])
        files.append([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x88, 0x01, 0x00, 0x00])
        files.append(
            [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58] + Array(repeatElement([0x02, 0x00, 0x10, 0x5B], count: 40).joined()))
        corpus = files
        mutator = Mutator(
            others: files,
            tokens: [
                [0x28, 0xB5, 0x2F, 0xFD], [0x50, 0x2A, 0x4D, 0x18], [0x02, 0x00, 0x10, 0x5B], [0x01, 0x00, 0x00],
                [0xFF, 0xFF, 0xFF, 0xFF], [0x03, 0x00, 0x10, 0x20],
            ])
    }

    private static func compressed(_ plain: [UInt8], _ level: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let writer = ZstdWriter(level: level) { (part) throws(FileError) in bytes += part }
        try writer.write(plain)
        try writer.finish()
        return bytes
    }

    /// Returns the frame without its checksum, which would detect nearly every mutation.
    private static func withoutChecksum(_ frame: [UInt8]) -> [UInt8] {
        var frame = frame
        frame[4] &= ~4
        return frame.dropLast(4)
    }

    func input(_ random: inout SeededGenerator) -> [UInt8] {
        let changed = mutator.mutate(random.pick(corpus), &random)
        // The magic number is checked before decompression.
        return random.oneIn(4) ? changed : [0x28, 0xB5, 0x2F, 0xFD] + changed.dropFirst(4)
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        let file = random.oneIn(2) ? TaskFile(input) : TaskFile(source: chunked(input, &random))
        return try judge(quoting: []) {
            let format = try? file.detectFormat()
            let reader = try TaskReader(
                file.bytes(), format: format ?? .ndjson, zone: .utc, skipInvalid: random.oneIn(2))
            _ = try ImportTarget.read(reader)
        }
    }
}
