import CivilTime
import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange

/// Reading a file in parts gives the same records and errors for all sizes of parts and windows.
@Suite struct StreamTests {
    private static let sizes = [1, 2, 7, 100, 4096]

    private struct Outcome: Equatable {
        var records: [TaskRecord] = []
        var error: FileError?
    }

    private func outcome(
        _ bytes: [UInt8], _ format: TaskFormat, skipInvalid: Bool, partSize: Int = 1 << 30, windowSize: Int = 1 << 30
    ) -> Outcome {
        var outcome = Outcome()
        do throws(FileError) {
            var reader = try TaskReader(
                byteSource(of: bytes, partSize: partSize), format: format, zone: .utc, skipInvalid: skipInvalid,
                now: nil, windowSize: windowSize)
            while let record = try reader.next() { outcome.records.append(record) }
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private func expectNoDifference(_ bytes: [UInt8], _ format: TaskFormat) {
        for skipInvalid in [false, true] {
            let whole = outcome(bytes, format, skipInvalid: skipInvalid)
            for size in Self.sizes {
                let inParts = outcome(bytes, format, skipInvalid: skipInvalid, partSize: size, windowSize: size)
                #expect(inParts == whole, "\(format), \(size) bytes, skipping \(skipInvalid)")
            }
        }
    }

    @Test("Results do not depend on the sizes of parts and windows", arguments: TaskFormat.allCases)
    func partsAndWindowsMakeNoDifference(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 31)
        let file = try written(random.tasks(12), [random.tombstone()], as: format)
        expectNoDifference(file, format)
        expectNoDifference(bytes("\u{FEFF}") + file, format)
        expectNoDifference([], format)
    }

    @Test("Errors of damaged files do not depend on the sizes of parts", arguments: TaskFormat.allCases)
    func partsMakeNoDifferenceInDamagedFiles(_ format: TaskFormat) throws {
        var random = RandomDocuments(seed: 32)
        let file = try written(random.tasks(3), as: format)
        var dice = Dice(33)
        for _ in 0..<60 where file.count > 1 {
            var damaged = file
            switch dice.below(4) {
            case 0: damaged.removeLast(dice.below(file.count))
            case 1: damaged[dice.below(file.count)] = UInt8(truncatingIfNeeded: dice.next())
            case 2: damaged.insert(contentsOf: bytes("\n}{\"\\u12"), at: dice.below(file.count))
            default: damaged.removeSubrange(0..<dice.below(file.count))
            }
            expectNoDifference(damaged, format)
        }
    }

    @Test("Literals and numbers across the end of a part are read")
    func wordsAndNumbersAtTheEndOfAPartAreRead() {
        let stem = #""text":"x","createdAt":"2026-02-10T09:15:00Z""#
        let file =
            "[{\(stem),\"sortOrder\":12345,\"isSticky\":true,\"notes\":\"\\ud83d\\ude00\"},\r\n {\(stem),\"x\":-1.5e+10}]"
        expectNoDifference(bytes(file), .json)
        #expect(outcome(bytes(file), .json, skipInvalid: false, partSize: 1, windowSize: 1).records.count == 2)
    }

    @Test("A record without an end is refused before it exhausts memory")
    func aRecordThatDoesNotEndIsRefusedBeforeItFillsTheMemory() throws {
        var taken = 0
        let source: ByteSource = { () throws(FileError) in
            defer { taken += 1000 }
            return taken == 0 ? bytes(#"[{"text":""#) : [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        }
        var window = try JSONWindow(source, size: 5000, valueLimit: 1 << 20)
        let result = try window.step { (parser) throws(JSONParser.Failure) in try parser.value() }
        guard case .failure(let failure) = result else {
            Issue.record("it ended")
            return
        }
        #expect(failure.reason == "one record is longer than 1 MiB")
        #expect(taken < 1_100_000)
    }

    @Test("A line that is too long can be skipped")
    func aLineThatIsTooLongIsSkippedLikeAnyOther() throws {
        let good = #"{"description":"x","entry":1}"#
        let long = #"{"description":"\#(String(repeating: "x", count: 3_000_000))"}"#
        let window = try JSONWindow(
            byteSource(of: bytes("\(good)\n\(long)\n\(good)\n")), size: 5000, valueLimit: 1 << 20)
        var scanner = RecordScanner(window, format: .taskwarrior, .values, skipsInvalid: true) {
            (members) throws(RecordProblem) in .task(try Taskwarrior.document(of: members, zone: .utc, now: nil))
        }
        var lines: [Int?] = []
        while let record = try scanner.next() {
            if case .invalid(let invalid) = record { lines.append(invalid.line) } else { lines.append(nil) }
        }
        #expect(lines == [nil, 2, nil])
    }

    @Test("A long record is read completely")
    func aLongRecordIsReadWhole() throws {
        let text = String(repeating: "x", count: 3 << 20)
        let file = bytes(#"[{"text":"\#(text)","createdAt":"2026-02-10T09:15:00Z"}]"#)
        #expect(try TaskReader.read(file, format: .json, zone: .utc).tasks.first?.text == text)
    }

    @Test("Line numbers are correct far into a file")
    func theLineIsRightFarIntoAFile() throws {
        let good = #"{"text":"x","createdAt":"2026-02-10T09:15:00Z"}"#
        let lines = ["["] + Array(repeating: good + ",", count: 20_000) + [#"{"text":7}"#, "]"]
        let error = outcome(
            bytes(lines.joined(separator: "\n")), .json, skipInvalid: false, partSize: 1000, windowSize: 5000
        ).error
        guard case .invalidRecord(let line, _, _)? = error else {
            Issue.record("it was taken")
            return
        }
        #expect(line == 20_002)
    }

    @Test("An error of the source is rethrown")
    func whatTheSourceThrowsComesOut() throws {
        let failure = FileError.system(path: "x", code: 5)
        for format in TaskFormat.allCases {
            var parts = 0
            let source: ByteSource = { () throws(FileError) in
                parts += 1
                if parts > 1 { throw failure }
                return bytes("[{")
            }
            #expect(throws: failure) {
                var reader = try TaskReader(source, format: format, zone: .utc)
                while try reader.next() != nil {}
            }
        }
    }
}
