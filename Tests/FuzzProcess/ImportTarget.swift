import ByteStreams
import CivilTime
import Exchange

/// The reader of one format, and what tells the format of a file.
struct ImportTarget: FuzzTarget {
    private let format: TaskFormat
    private let corpus: [[UInt8]]
    private let mutator: Mutator
    private let zones: [Zone]
    /// Of longer files not all tasks are kept in memory.
    private static let longest = 1 << 17
    private static let now = Instant(secondsSince1970: 1_770_714_900)

    init(_ format: TaskFormat, seed: UInt64) throws {
        self.format = format
        zones = try ["UTC", "Europe/Istanbul", "America/New_York"].map { name in try Zone(name) }
        var documents = SeedDocuments(random: FuzzRandom(seed: seed))
        var files = ImportSeeds.nasty(format).map { Array($0.utf8) }
        for count in [1, 1, 1, 2, 2, 3, 4, 9] {
            var file = TaskImport()
            file.tasks = documents.tasks(count)
            if format == .ndjson { file.tombstones = [documents.tombstone()] }
            files.append(try Self.written(file, format, .utc))
        }
        corpus = files + files + ImportSeeds.nasty
        let all = TaskFormat.allCases.flatMap(ImportSeeds.nasty).map { Array($0.utf8) }
        mutator = Mutator(others: corpus + all, tokens: ImportSeeds.tokens(format))
    }

    /// What a writer makes of the records.
    static func written(_ file: TaskImport, _ format: TaskFormat, _ zone: Zone) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = TaskWriter(format: format, exportDate: now, zone: zone) { (part) throws(FileError) in
            bytes += part
        }
        for task in file.tasks { try writer.append(task) }
        for tombstone in file.tombstones { try writer.append(tombstone) }
        try writer.finish()
        return bytes
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        let input = mutator.mutate(random.pick(corpus), &random)
        return random.chance(3_000) ? long(input, &random) : input
    }

    /// A mebibyte of the same few words: a reader that looks at the beginning again and again takes too long for it.
    private func long(_ input: [UInt8], _ random: inout FuzzRandom) -> [UInt8] {
        let words = (0...random.below(2)).flatMap { _ in random.pick(mutator.tokens) }
        let place = random.below(input.count + 1)
        let repeated = repeatElement(words, count: (1 << 20) / words.count).joined()
        return Array(input[..<place]) + repeated + input[place...]
    }

    func read(_ input: [UInt8], _ random: inout FuzzRandom) throws -> Verdict {
        if random.chance(4) {
            let name = random.pick([nil, "Geburtstagsliste.txt", "a.json", "b.ics"])
            _ = try judge(quoting: input) { _ = try TaskFormat.detect(input, name: name) }
        }
        if input.count > Self.longest { return try readLong(input) }
        let zone = random.pick(zones)
        let skips = random.chance(2)
        let now = random.chance(2) ? Self.now : nil
        let source = chunked(input, &random)
        let windowSize = random.pick([1 << 18, 1_024, 1])
        var file = TaskImport()
        let verdict = try judge(quoting: input) {
            file = try Self.read(
                TaskReader(
                    source, format: format, zone: zone, skipInvalid: skips, now: now, windowSize: windowSize))
        }
        if random.chance(4) {
            try compareWithWhole(input, verdict, file, zone, skips, now)
        }
        for invalid in file.invalid { try Leak.check(invalid.reason, input) }
        if verdict == .accepted, !file.tasks.isEmpty || !file.tombstones.isEmpty {
            try RoundTrip(format: format, zone: zone, now: now).check(file)
        }
        return verdict
    }

    /// As an import does, which keeps nothing of it.
    private func readLong(_ input: [UInt8]) throws -> Verdict {
        try judge(quoting: input) {
            try TaskReader.forEach(in: input, format: format, zone: .utc, skipInvalid: true, now: Self.now) { _ in }
        }
    }

    /// - Throws: ``Finding`` when the file says something else if it comes in one piece.
    private func compareWithWhole(
        _ input: [UInt8], _ verdict: Verdict, _ file: TaskImport, _ zone: Zone, _ skips: Bool, _ now: Instant?
    ) throws {
        var whole = TaskImport()
        let other = try judge(quoting: input) {
            whole = try TaskReader.read(input, format: format, zone: zone, skipInvalid: skips, now: now)
        }
        guard verdict == other, verdict != .accepted || file == whole else {
            throw Finding("chunks", "in pieces \(verdict), as a whole \(other)")
        }
    }

    static func read(_ reader: TaskReader) throws(FileError) -> TaskImport {
        var reader = reader
        var file = TaskImport()
        while let record = try reader.next() {
            switch record {
            case .task(let task): file.tasks.append(task)
            case .tombstone(let tombstone): file.tombstones.append(tombstone)
            case .invalid(let invalid): file.invalid.append(invalid)
            }
        }
        return file
    }
}
