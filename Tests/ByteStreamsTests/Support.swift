@testable import ByteStreams

/// The files of tests are texts, and readers take bytes.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The value of JSON bytes.
func parsed(_ bytes: [UInt8]) throws -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.value()
}
