@testable import ByteStreams

/// Files of tests are texts; the readers take bytes.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The value that the bytes are.
func parsed(_ bytes: [UInt8]) throws -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.value()
}
