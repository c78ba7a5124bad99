/// What a person types to open an encrypted snapshot. It has no description, so that it reaches no log.
public struct Passphrase: Sendable, Equatable {
    let bytes: [UInt8]

    /// A passphrase of these bytes, taken as they are; nil when there are none.
    public init?(_ bytes: [UInt8]) {
        if bytes.isEmpty { return nil }
        self.bytes = bytes
    }

    /// The content of a file, without the line end that editors leave; nil when nothing else is in it.
    public init?(fileContent: [UInt8]) {
        var bytes = fileContent[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        self.init(Array(bytes))
    }
}
