import Testing

@testable import ByteStreams

@Suite("Snapshots: a file of the first version is read and written again to the same bytes")
struct GoldenSnapshotTests {
    /// A dozen records with a repeated text, lines, an own record type and a raw record; uncompressed, since other
    /// versions of zstd write other frames.
    private static var state: SnapshotState {
        var random = RandomRecords(seed: 20_260_210)
        var tasks: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<12 { tasks[random.key(0)] = random.value(odd: false) }
        tasks[random.key(0)] = [2, 0xFF]
        return SnapshotState(collections: ["tasks": tasks, "readings": [[1]: [1, 1, 1, 7], [1, 2]: [1]]])
    }

    private static func golden() throws -> [UInt8] {
        try #require([UInt8](hexadecimal: goldenSnapshot.filter { !$0.isWhitespace }))
    }

    @Test("It is read")
    func isRead() throws {
        #expect(try recordsOf(snapshotReader(Self.golden())) == Self.state.collections)
    }

    @Test("It is written")
    func isWritten() throws {
        let file = try Self.state.file(level: 0)
        var text: [UInt8] = []
        for byte in file { text.appendHexadecimal(byte) }
        #expect(try file == Self.golden(), "\(String(decoding: text, as: UTF8.self))")
    }
}
