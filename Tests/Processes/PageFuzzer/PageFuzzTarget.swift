import FoundationEssentials
import Glibc
import KeyValue

/// A store whose data file libFuzzer writes. Whatever it has, reading and writing end with an error of the engine or without one:
/// a signal, a loop and bytes beyond the file are findings.
enum PageFuzzTarget {
    private static let folder = "/dev/shm/daybook-page-fuzzer.\(getpid())"
    static let dataFile = "\(folder)/data.mdb"
    private static let tableNames = ["branches", "empty", "large", "small"]
    /// More entries than a file of the largest size can have.
    private static let stepLimit = 1_000_000

    static func prepare() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Reads everything through every call of the page reader, writes a little, and surveys what is left as a salvage does.
    static func readAndWrite() {
        unlink("\(folder)/lock.mdb")
        do {
            try open(isReadOnly: true) { environment, tables in
                try environment.read { transaction in
                    _ = try? transaction.tableNames()
                    for table in tables { try? read(table, in: transaction) }
                }
            }
            try open(isReadOnly: false) { environment, tables in
                for table in tables { try? write(table, in: environment) }
            }
        } catch {
            // That is what damage is answered with.
        }
        try? survey()
    }

    private static func survey() throws {
        let survey = try PageSurvey(of: dataFile, orderedBy: tableNames[0])
        survey.forEachPage(wanting: { _ in true }) { page in
            for number in 0..<page.count {
                page.withEntry(number) { key, value in
                    touch(key)
                    touch(value)
                }
            }
        }
    }

    private static func open(isReadOnly: Bool, _ body: (Environment, [Table]) throws -> Void) throws {
        let environment = try Environment.open(
            at: folder, configuration: EnvironmentConfiguration(isReadOnly: isReadOnly))
        defer { environment.close() }
        try body(environment, environment.openPresentTables(tableNames))
    }

    private static func read(_ table: Table, in transaction: borrowing RawReadTransaction) throws {
        _ = try? transaction.entryCount(of: table)
        _ = try? transaction.pageCount(of: table)
        var some: [[UInt8]] = [[], [0], [0xFF, 0xFF]]
        for isForward in [true, false] {
            try? transaction.withCursor(over: table) { cursor in
                var steps = 0
                var isOnEntry = try isForward ? cursor.moveToFirst() : cursor.moveToLast()
                while isOnEntry {
                    steps += 1
                    precondition(steps < stepLimit, "a walk does not end")
                    try cursor.withEntry { key, value in
                        touch(key)
                        touch(value)
                        if steps.isMultiple(of: 16) { some.append(key.copied) }
                    }
                    isOnEntry = try isForward ? cursor.moveToNext() : cursor.moveToPrevious()
                }
            }
        }
        for key in some {
            try? transaction.get(key.span.bytes, in: table) { touch($0) }
            try? transaction.withCursor(over: table) { cursor in
                if try cursor.seek(key.span.bytes) { try cursor.withEntry { _, value in touch(value) } }
                if try cursor.seekBefore(key.span.bytes) { try cursor.withEntry { _, value in touch(value) } }
            }
        }
    }

    private static func write(_ table: Table, in environment: Environment) throws {
        var first: [UInt8] = []
        try environment.read { transaction in
            try transaction.withCursor(over: table) { if try $0.moveToFirst() { first = try $0.key() } }
        }
        try environment.write { transaction in
            try transaction.put([0x80, 1].span.bytes, [UInt8](repeating: 1, count: 100).span.bytes, in: table)
            try transaction.delete(first.span.bytes, in: table)
        }
    }

    /// Reads the first and the last byte of each 256, so that one beyond the file would end the process.
    private static func touch(_ bytes: RawSpan) {
        var sum: UInt8 = 0
        for place in stride(from: 0, to: bytes.byteCount, by: 256) { sum &+= bytes[byteAt: place] }
        if bytes.byteCount > 0 { sum &+= bytes[byteAt: bytes.byteCount - 1] }
        withExtendedLifetime(sum) {}
    }

    // MARK: Seeds

    /// Writes small data files: a new store, one with branches, large values and free pages.
    static func writeSeeds(to seeds: String) throws {
        for (number, count) in [0, 3, 60].enumerated() {
            try? FileManager.default.removeItem(atPath: folder)
            let environment = try Environment.open(at: folder, creatingWith: NewStoreContent(tables: tableNames))
            let tables = try environment.openTables(tableNames)
            for round in 0..<2 {
                try environment.write { transaction in
                    for entry in 0..<count {
                        let key = withUnsafeBytes(of: UInt32(truncatingIfNeeded: entry &* 2_654_435_761).bigEndian) {
                            Array($0)
                        }
                        let long = key + [UInt8](repeating: 7, count: 200)
                        try transaction.put(long.span.bytes, key.span.bytes, in: tables[0])
                        try transaction.put(key.span.bytes, key.span.bytes, in: tables[3])
                        if entry < 3 {
                            let large = [UInt8](repeating: UInt8(entry), count: 5_000)
                            try transaction.put(key.span.bytes, large.span.bytes, in: tables[2])
                        }
                        if round == 1, entry.isMultiple(of: 3) { try transaction.delete(key.span.bytes, in: tables[3]) }
                    }
                }
            }
            environment.close()
            try FileManager.default.copyItem(atPath: dataFile, toPath: "\(seeds)/\(number).mdb")
        }
        try FileManager.default.removeItem(atPath: folder)
    }
}
