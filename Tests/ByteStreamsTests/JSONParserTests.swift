import Testing

@testable import ByteStreams

@Suite struct JSONParserTests {
    @Test(
        "Reading and writing canonical text gives the same text",
        arguments: [
            "null", "true", "[]", "{}", "0", "-0", "12.0846", "1e400", "-1.5E-7", "123456789012345678901234567890",
            #""""#, #""a\"b""#, #"{"a":[1,{"b":null}],"c":"é"}"#,
        ])
    func canonicalTextReadsAndWritesTheSame(_ json: String) throws {
        var writer = JSONWriter()
        writer.value(try parsed(bytes(json)))
        #expect(text(writer.bytes) == json)
    }

    @Test("Keys are sorted by their bytes, and the last of two equal keys counts")
    func keysAreSortedByTheirBytesAndTheLastOfTwoCounts() throws {
        guard case .object(let members) = try parsed(bytes(#"{"b":1,"a":2,"é":3,"e\u0301":4,"b":5}"#)) else {
            Issue.record("not an object")
            return
        }
        #expect(JSONValue.canonicalText(of: members) == "{\"a\":2,\"b\":5,\"e\u{301}\":4,\"é\":3}")
    }

    @Test("Escapes are decoded")
    func escapesAreDecoded() throws {
        #expect(try parsed(bytes(#""\u00e9\ud83c\udf89\/\b\f\n\r\t\"\\""#)) == .string("é🎉/\u{8}\u{C}\n\r\t\"\\"))
    }

    @Test(
        "Text that is not JSON is refused",
        arguments: [
            "", "nul", "tru", "01", "+1", "1.", ".5", "1e", "-", "0x10", "NaN", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}",
            "{a:1}", "{\"a\":1,}", "'a'", "\"a", "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[", "{", "]",
        ])
    func whatIsNotJSONIsRefused(_ json: String) {
        var parser = JSONParser(bytes(json))
        #expect(throws: JSONParser.Failure.self) {
            _ = try parser.value()
            if parser.peek() != nil { throw parser.failure("something follows") }
        }
    }

    @Test(
        "Invalid text is recorded, and the rest is read",
        arguments: [
            bytes(#""\ud800""#), bytes(#""\udc00""#), bytes(#""\ud800\u0041""#), bytes(#""\ud800\n""#),
            bytes("\"a\u{1}b\""), [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0x5C, 0x6E, 0xF0, 0x9F, 0x22],
        ])
    func brokenTextIsNotedAndTheRestIsRead(_ string: [UInt8]) throws {
        var parser = JSONParser(bytes("[") + string + bytes(",7]"))
        guard case .array(let elements) = try parser.value() else { return }
        #expect(parser.problem != nil)
        #expect(elements.last == .number("7"))
        _ = try? parser.value()
        #expect(parser.problem == nil)
    }

    @Test("Nesting is read up to its limit")
    func nestingIsReadToItsLimit() throws {
        let limit = JSONParser.depthLimit
        func nested(_ levels: Int) -> [UInt8] {
            bytes(String(repeating: "[", count: levels) + String(repeating: "]", count: levels))
        }
        _ = try parsed(nested(limit))
        #expect(throws: JSONParser.Failure.self) { try parsed(nested(limit + 1)) }
        #expect(throws: JSONParser.Failure.self) { try parsed(nested(1_000_000)) }
        var parser = JSONParser(nested(1_000_000))
        #expect(throws: JSONParser.Failure.self) { try parser.skipValue() }
    }

    @Test("The number of values in one record is limited")
    func valuesInOneRecordAreLimited() throws {
        let many = "[" + String(repeating: "0,", count: JSONParser.valueLimit) + "0]"
        #expect(throws: JSONParser.Failure.self) { try parsed(bytes(many)) }
        var parser = JSONParser(bytes(many))
        try parser.skipValue()
        #expect(parser.peek() == nil)
    }
}
