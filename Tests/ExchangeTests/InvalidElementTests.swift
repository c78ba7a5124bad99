import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange

/// Elements of arrays that are not JSON, and what is said of them.
@Suite struct InvalidElementTests {
    private func read(
        _ file: String, as format: TaskFormat = .json, windowSize: Int = 1 << 18
    ) throws -> (texts: [String], invalid: [InvalidRecord]) {
        var reader = try TaskReader(
            byteSource(of: bytes(file), partSize: 7), format: format, zone: .utc, skipInvalid: true,
            now: .init(secondsSince1970: 0), windowSize: windowSize)
        var (texts, invalid): ([String], [InvalidRecord]) = ([], [])
        while let record = try reader.next() {
            switch record {
            case .task(let task): texts.append(task.text)
            case .invalid(let record): invalid.append(record)
            case .list, .tombstone: break
            }
        }
        return (texts, invalid)
    }

    private static let broken = [
        #"{"text":"x","n":PROJ-12}"#, #"{"text":"x","n":{"a":[1,}}"#, #"{"text":"x" "n":1}"#, #"{"text":"x",}"#,
        #"{"text":"x","a":[{"b":1},{"c":NaN}]}"#, #"{text:"x"}"#, "x", #"{"text":"}, {.","n":.5}"#,
        // Without the bracket or the quotation mark that ends it.
        #"{"text":"x","n":1"#, #"{"text":"x,"n":1}"#, #"{"text":"x","n":[1,2}"#,
    ]

    @Test("An element that is not JSON is skipped, and its neighbors are read", arguments: broken)
    func oneInManyLines(_ element: String) throws {
        for size in [16, 64, 1 << 18] {
            for file in [
                "[\n{\"text\":\"a\"},\n\(element),\n{\"text\":\"b\"},\n{\"text\":\"c\"}\n]\n",
                "[\n{\"text\":\"a\"}\n,\(element)\n,{\"text\":\"b\"}\n,{\"text\":\"c\"}\n]\n",
                "{\n  \"tasks\": [\n    {\"text\": \"a\"},\n    \(element),\n    {\n      \"text\": \"b\"\n    },\n"
                    + "    {\"text\": \"c\"}\n  ]\n}\n",
            ] {
                let (texts, invalid) = try read(file, windowSize: size)
                #expect(texts == ["a", "b", "c"], "\(file)")
                #expect(invalid.map(\.place) == [RecordPlace(number: 2)])
                #expect(invalid.map(\.line) == [file.hasPrefix("[") ? 3 : 4])
            }
            let (texts, invalid) = try read("[\n{\"text\":\"a\"},\n\(element)\n]\n", windowSize: size)
            #expect(texts == ["a"])
            #expect(invalid.count == 1)
        }
    }

    @Test("In one line only an element whose end is certain is skipped")
    func oneInOneLine() throws {
        for element in Self.broken.prefix(8) + [#"{"text":"x","n":1"#] {
            let (texts, invalid) = try read("[{\"text\":\"a\"},\(element),{\"text\":\"b\"},{\"text\":\"c\"}]")
            #expect(texts == ["a", "b", "c"], "\(element)")
            #expect(invalid.map(\.place) == [RecordPlace(number: 2)])
        }
        // Where elements would be lost without a word, the file is refused.
        #expect(throws: FileError.self) { try read("[{\"text\":\"x,\"n\":1},{\"text\":\"b\"},{\"text\":\"c\"}]\n") }
    }

    @Test("Nothing is skipped that was not asked for, and no task is lost without a word")
    func nothingIsLost() throws {
        var dice = Dice(7)
        for _ in 0..<2_000 {
            let count = 1 + dice.below(5)
            let separator = dice.below(2) == 0 ? ",\n" : ", "
            let tasks = (0..<count).map { #"{"text":"t\#($0)","note":"a \"b\" [c] {d}"}"# }
            var file = bytes("[\(tasks.joined(separator: separator))]\n")
            let place = dice.below(file.count - 1)
            file[place] = UInt8(ascii: "}")
            let texts: [String], invalid: [InvalidRecord]
            do {
                (texts, invalid) = try read(text(file))
            } catch is FileError {
                continue
            }
            #expect(texts.count + invalid.count >= count, "\(text(file))")
        }
    }

    @Test("An invalid record among many in one line is named by its number and its id")
    func place() throws {
        let id = "9f247ada-f07f-4e73-8876-a3b0f24ebf37"
        let file = #"{"tasks":[{"text":"a"},{"text":"b"},{"id":"\#(id)","text":" "}]}"#
        let error = #expect(throws: FileError.self) {
            try TaskReader.read(bytes(file), format: .json, zone: .utc, now: .init(secondsSince1970: 0))
        }
        let place = RecordPlace(number: 3, id: id)
        #expect(error == .invalidRecord(line: 1, reason: "the text is missing or blank", place: place))
        #expect(error?.description.contains("line 1 (record 3, id \(id))") == true)
        #expect(try read(file).invalid.map(\.place) == [place])
        // Only a UUID is an id; what else is there is the user's.
        let text = #"[{"uuid":"secret","description":"a"}]"#
        #expect(try read(text, as: .taskwarrior).invalid.map(\.place) == [RecordPlace(number: 1)])
    }
}
