import ByteStreams
import CivilTime
import Exchange
import LabSupport
import Tasks

/// The reader of one format, with format detection.
struct ImportTarget: FuzzTarget {
    private let format: TaskFormat
    private let corpus: [[UInt8]]
    private let mutator: Mutator
    private let zones: [Zone]
    /// The maximum length of a file whose tasks are all kept in memory.
    private static let longest = 1 << 17
    private static let now = Instant(secondsSince1970: 1_770_714_900)

    init(_ format: TaskFormat, seed: UInt64) throws {
        self.format = format
        zones = try ["UTC", "Europe/Istanbul", "America/New_York"].map { name in try Zone(name) }
        var documents = SeedDocuments(random: SeededGenerator(seed: seed))
        var files = ImportSeeds.hostile(format).map { Array($0.utf8) }
        for count in [1, 1, 1, 2, 2, 3, 4, 9] {
            var file = TaskImport()
            file.tasks = documents.tasks(count)
            if format == .ndjson { file.tombstones = [documents.tombstone()] }
            files.append(try Self.written(file, format, .utc))
        }
        corpus = files + files + ImportSeeds.hostile
        let all = TaskFormat.allCases.flatMap(ImportSeeds.hostile).map { Array($0.utf8) }
        mutator = Mutator(others: corpus + all, tokens: ImportSeeds.tokens(format))
    }

    /// Returns the output of a writer for these records.
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

    func input(_ random: inout SeededGenerator) -> [UInt8] {
        let input = mutator.mutate(random.pick(corpus), &random)
        return random.oneIn(3_000) ? long(input, &random) : input
    }

    /// Returns a mebibyte of repeated words, for which a reader with quadratic time exceeds its limit.
    private func long(_ input: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let words = (0...random.below(2)).flatMap { _ in random.pick(mutator.tokens) }
        let place = random.below(input.count + 1)
        let repeated = repeatElement(words, count: (1 << 20) / words.count).joined()
        return Array(input[..<place]) + repeated + input[place...]
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        if random.oneIn(4) {
            let name = random.pick([nil, "Geburtstagsliste.txt", "a.json", "b.ics"])
            _ = try judge(quoting: input) { _ = try TaskFormat.detect(input, name: name) }
        }
        if input.count > Self.longest { return try readLong(input) }
        let zone = random.pick(zones)
        let skips = random.oneIn(2)
        let now = random.oneIn(2) ? Self.now : nil
        let source = chunked(input, &random)
        let windowSize = random.pick([1 << 18, 1_024, 1])
        var file = TaskImport()
        let verdict = try judge(quoting: input) {
            file = try Self.read(
                TaskReader(
                    source, format: format, zone: zone, skipInvalid: skips, now: now, windowSize: windowSize))
        }
        if random.oneIn(4) {
            try compareWithWhole(input, verdict, file, zone, skips, now)
        }
        for invalid in file.invalid { try Leak.check(invalid.reason, input) }
        if verdict == .accepted, !file.tasks.isEmpty || !file.tombstones.isEmpty {
            try RoundTrip(format: format, zone: zone, now: now).check(file)
        }
        return verdict
    }

    /// Reads like an import, which does not keep the tasks.
    private func readLong(_ input: [UInt8]) throws -> Verdict {
        try judge(quoting: input) {
            try TaskReader.forEach(in: input, format: format, zone: .utc, skipInvalid: true, now: Self.now) { _ in }
        }
    }

    /// - Throws: ``Finding`` if reading the file in one part gives another result.
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
            case .list(let list): file.lists.append(list)
            case .task(let task): file.tasks.append(task)
            case .tombstone(let tombstone): file.tombstones.append(tombstone)
            case .invalid(let invalid): file.invalid.append(invalid)
            }
        }
        return file
    }
}

/// Checks that tasks of a file can be written in its format, read back equal, and are then written as the same bytes.
struct RoundTrip {
    let format: TaskFormat
    let zone: Zone
    /// The time of creation of tasks without one.
    let now: Instant?

    /// - Throws: ``Finding`` otherwise.
    func check(_ file: TaskImport) throws {
        let written = try ImportTarget.written(file, format, zone)
        var again = try read(written)
        if Plant.active == .change, let first = again.tasks.first { again.tasks[0].text = first.text + "." }
        guard again.tasks.count == file.tasks.count, again.tombstones == file.tombstones else {
            throw Finding("count", "\(file.tasks.count) tasks are \(again.tasks.count) when they are read again")
        }
        for (first, second) in zip(file.tasks, again.tasks) {
            if let difference = difference(comparable(first), comparable(second)) {
                throw Finding("change", difference)
            }
        }
        guard try ImportTarget.written(again, format, zone) == written else {
            throw Finding("bytes", "the second export is another one")
        }
    }

    private func read(_ written: [UInt8]) throws -> TaskImport {
        do {
            return try TaskReader.read(written, format: format, zone: zone, now: now)
        } catch {
            throw Finding("unreadable", "what was written is refused: \(error)")
        }
    }

    /// Returns a task without the fields that the format does not keep according to Documentation/Format.md.
    private func comparable(_ task: ImportedTask) -> ImportedTask {
        var task = task
        // A task kept in the form of its file gets an id if it had none. Comparing the bytes of the second export
        // covers the rest.
        task.extra = nil
        task.isUndated = false
        switch format {
        case .json, .ndjson, .csv: break
        case .ics: task.sortOrder = 0
        case .taskwarrior:
            task.sortOrder = 0
            // Fractions of seconds.
            for path in [\TaskItem.createdAt, \.updatedAt] {
                task.task[keyPath: path] = wholeSecond(task.task[keyPath: path])
            }
            for path in [\TaskItem.completedAt, \.archivedAt, \.dueAt, \.expiresAt] {
                task.task[keyPath: path] = task.task[keyPath: path].map(wholeSecond)
            }
        case .todotxt, .markdown:
            task.sortOrder = 0
            // Times of day, and the kind of line ends in texts.
            for path in [\TaskItem.createdAt, \.updatedAt] {
                task.task[keyPath: path] = startOfDay(task.task[keyPath: path])
            }
            for path in [\TaskItem.completedAt, \.archivedAt] {
                task.task[keyPath: path] = task.task[keyPath: path].map(startOfDay)
            }
            task.text = Self.withoutBlanks(task.text)
            task.notes = task.notes.map(Self.withoutBlanks)
            // Notes that consist of line ends exist in todo.txt but not in Markdown.
            if format == .markdown, task.notes == "" { task.notes = nil }
        }
        return task
    }

    private static func withoutBlanks(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
    }

    private func startOfDay(_ instant: Instant) -> Instant { zone.start(of: zone.day(of: instant)) }

    private func wholeSecond(_ instant: Instant) -> Instant {
        let fraction = instant.microsecondsSince1970 % 1_000_000
        return Instant(
            microsecondsSince1970: instant.microsecondsSince1970 - (fraction < 0 ? fraction + 1_000_000 : fraction))
    }

    /// The fields that differ.
    private func difference(_ first: ImportedTask, _ second: ImportedTask) -> String? {
        if first.task == second.task, first.sortOrder == second.sortOrder { return nil }
        var fields = first.sortOrder == second.sortOrder ? [] : ["sortOrder"]
        for (one, other) in zip(Mirror(reflecting: first.task).children, Mirror(reflecting: second.task).children) {
            let (before, after) = ("\(one.value)".debugDescription, "\(other.value)".debugDescription)
            if before != after { fields.append("\(one.label ?? ""): \(before) -> \(after)") }
        }
        return fields.joined(separator: "; ")
    }
}
