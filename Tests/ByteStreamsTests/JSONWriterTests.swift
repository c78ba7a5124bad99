import CivilTime
import FoundationEssentials
import Testing

@testable import ByteStreams

@Suite struct JSONWriterTests {
    @Test("Pretty text has one member a line")
    func prettyTextHasOneMemberALine() {
        var writer = JSONWriter(.pretty)
        writer.object { writer in
            writer.field("name", "a")
            writer.field("nothing", String?.none)
            writer.array("numbers") { writer in
                writer.value(1)
                writer.value(-2)
            }
            writer.array("empty") { _ in }
            writer.object("inner") { $0.field("yes", true) }
        }
        writer.newline()
        #expect(
            text(writer.bytes) == """
                {
                  "name": "a",
                  "nothing": null,
                  "numbers": [
                    1,
                    -2
                  ],
                  "empty": [],
                  "inner": {
                    "yes": true
                  }
                }

                """)
    }

    @Test("Compact text has no white space")
    func compactTextHasNoWhiteSpace() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("a", [1, 2])
            writer.field("b", 0.5)
            writer.field("c", Double.infinity)
            writer.field("d", 7, unless: 7)
            writer.object("e") { _ in }
        }
        #expect(text(writer.bytes) == #"{"a":[1,2],"b":0.5,"c":null,"e":{}}"#)
    }

    @Test("Every scalar reads back as the same value")
    func everyScalarReadsBackAsItself() throws {
        for code in 0...0x10FFFF {
            guard code % 97 == 0 || code < 0x300, let scalar = Unicode.Scalar(code) else { continue }
            var writer = JSONWriter()
            writer.string("a\(scalar)b")
            #expect(try parsed(writer.bytes) == .string("a\(scalar)b"))
        }
    }

    @Test("Control characters and quotes are escaped")
    func controlCharactersAndQuotesAreEscaped() {
        var writer = JSONWriter()
        writer.string("\"\\\u{8}\u{C}\n\r\t\u{0}\u{1F}/é")
        #expect(text(writer.bytes) == #""\"\\\b\f\n\r\t\u0000\u001f/é""#)
    }

    @Test("Instants and days are written like their descriptions")
    func instantsAndDaysAreWrittenAsTheyDescribeThemselves() throws {
        let moments: [Int64] = [
            0, -1, 1, 250_000, 1_000_000, -62_135_596_800_000_000, -62_135_596_800_000_001, 253_402_300_799_999_999,
            253_402_300_800_000_000, Int64.min, Int64.max, 1_770_714_900_000_100,
        ]
        for moment in moments {
            let instant = Instant(microsecondsSince1970: moment)
            var writer = JSONWriter()
            writer.value(instant)
            #expect(text(writer.bytes) == "\"\(instant)\"")
        }
        for day in [Day.first, Day.last, try Day("2024-02-29")] {
            var writer = JSONWriter()
            writer.value(day)
            #expect(text(writer.bytes) == "\"\(day)\"")
        }
    }

    @Test("Ids are written in lower case")
    func idsAreLowerCase() throws {
        let id = try #require(UUID(uuidString: "9F247ADA-F07F-5E73-8876-A3B0F24EBF37"))
        var writer = JSONWriter()
        writer.value(id)
        #expect(text(writer.bytes) == "\"9f247ada-f07f-5e73-8876-a3b0f24ebf37\"")
        #expect(UUID(strict: id.uuidString) == id)
        #expect(UUID(strict: id.textForm) == id)
        for wrong in ["", "9f247ada", "9f247adaf07f5e738876a3b0f24ebf37", id.uuidString + "0", " " + id.uuidString] {
            #expect(UUID(strict: wrong) == nil)
        }
    }

    @Test("Taking the bytes does not change the text")
    func takingTheBytesDoesNotDisturbTheText() {
        var writer = JSONWriter(.pretty)
        var whole: [UInt8] = []
        writer.beginArray()
        for number in 0..<3 {
            writer.int(number)
            whole += writer.take()
        }
        writer.endArray()
        whole += writer.take()
        #expect(text(whole) == "[\n  0,\n  1,\n  2\n]")
    }
}
