@testable import ByteStreams

/// Returns the bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Returns the value of a JSON text.
func parsed(_ bytes: [UInt8]) throws -> JSONValue {
    var parser = JSONParser(bytes)
    return try parser.value()
}
