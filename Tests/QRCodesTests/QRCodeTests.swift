import Crypto
import Foundation
import Testing

@testable import QRCodes

/// Compared with matrices that qrcode 8.2 (Python) draws in byte mode with error correction L. (segno 1.6.6 draws
/// others where there is room left: it fills a whole byte with zeros before the standard's filling.) Tests/Interop
/// decodes the codes in Tests/Fixtures/QRCodes with zxing.
@Suite struct QRCodeTests {
    /// Length of the text, version, and SHA-256 of the eight matrices, one for each mask.
    static let golden: [(count: Int, version: Int, hash: String)] = [
        (1, 1, "58fad17150b83e8fcc7af048662a1779"),
        (17, 1, "481f80417eca7541adbd348b364d3f7c"),
        (18, 2, "a91db94bcb6c215f84a336052fedd073"),
        (32, 2, "7962d3759c302282ff5587333c579ae2"),
        (33, 3, "86559a7a14dbed41da4b7c346e7bebe6"),
        (100, 5, "87b63b13ef2b00e55a062f523dc573d5"),
        (106, 5, "0bf188828a9ce3359c97b23f201abc5a"),
        (107, 6, "0320efb1de4b861bb72adf200bd1fa38"),
        (190, 8, "6c3764457602b05b8636d8c715c5a31e"),
        (230, 9, "11f5d590aa5f5769e87c3950064a2487"),
        (231, 10, "9a4ee356a0f23e3fb026e1651c1af44f"),
        (300, 11, "dc4f63deb9cddfe481845ea6f6934bcd"),
        (400, 13, "acab3a9e30bdaac8c042de44e8dddffb"),
        (500, 15, "5a9e03203f65c77e9302a1340220e4aa"),
        (600, 17, "bb6c9e69c2b5924262daea8a0da0b7b1"),
        (718, 18, "5a6c297b938c6994e74e5bdf7de7d7cd"),
        (858, 20, "9110b7d5604594c4817a9b9b5ae4fee2"),
    ]

    private static func text(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 * 7 + 33) % 94 + 33) } }

    private static func lines(_ code: QRCode) -> String {
        code.rows.map { $0.map { $0 ? "1" : "0" }.joined() + "\n" }.joined()
    }

    @Test("Codes of all lengths and masks are those of an independent encoder", arguments: golden)
    func matrices(count: Int, version: Int, hash: String) throws {
        var matrices = ""
        for mask in 0..<8 {
            let code = try #require(QRCode(Self.text(count), mask: mask))
            #expect(code.size == 17 + 4 * version)
            matrices += Self.lines(code)
        }
        let digest = SHA256.hash(data: Data(matrices.utf8)).prefix(16)
        #expect(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == hash)
    }

    @Test("A code of version 1 is drawn module by module as the independent encoder draws it")
    func smallest() throws {
        let code = try #require(QRCode(Array("daybook://join".utf8), mask: 1))
        #expect(
            Self.lines(code) == """
                111111101111101111111
                100000101101101000001
                101110100111001011101
                101110100101101011101
                101110101001101011101
                100000101010001000001
                111111101010101111111
                000000001110100000000
                111001101110011110011
                101010000010101110001
                101111100000110110101
                110010011011000111000
                111111111101010100001
                000000001000111010101
                111111100000100010101
                100000101011100111001
                101110100110010001000
                101110100110111010000
                101110101000100011011
                100000101000110111000
                111111101101010001001

                """)
    }

    @Test("The mask is one of those with the lowest penalty")
    func mask() throws {
        let text = Self.text(100)
        let version = try #require(QRVersion.allCases.first { $0.byteLimit >= 100 })
        let codewords = version.codewords(of: text)
        let penalties = (0..<8).map { QRMatrix(version, codewords: codewords, mask: $0).penalty }
        let chosen = try #require(QRCode(text))
        let best = try #require(penalties.min())
        #expect(try (0..<8).contains { try chosen == #require(QRCode(text, mask: $0)) && penalties[$0] == best })
    }

    @Test("A text of up to 858 bytes has a code, a longer one has none")
    func limit() {
        #expect(QRCode(String(repeating: "x", count: QRCode.byteLimit)) != nil)
        #expect(QRCode(String(repeating: "x", count: QRCode.byteLimit + 1)) == nil)
        #expect(QRCode("") != nil)
    }

    @Test("The text for a terminal has two rows a line and a light frame of four modules")
    func terminal() throws {
        let code = try #require(QRCode("daybook://join"))
        let lines = code.terminalText().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == (code.size + 9) / 2)
        #expect(lines.allSatisfy { $0.count == code.size + 8 })
        #expect(lines[0] == Substring(repeating: "█", count: code.size + 8))
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
        let inverted = code.terminalText(isInverted: true).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(inverted[2].hasPrefix("    █▀▀▀▀▀█ "))
    }

    @Test(
        "The codes that Tests/Interop has decoded are still drawn the same",
        arguments: ["short", "invite", "long", "inverted"])
    func fixtures(name: String) throws {
        let path = SourceFolder.path + "/Tests/Fixtures/QRCodes/\(name)"
        let text = try String(contentsOfFile: path + ".uri", encoding: .utf8).trimmingCharacters(in: .newlines)
        let drawn = try #require(QRCode(text)).terminalText(isInverted: name == "inverted") + "\n"
        if ProcessInfo.processInfo.environment["DAYBOOK_UPDATE_FIXTURES"] == "1" {
            try drawn.write(toFile: path + ".txt", atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOfFile: path + ".txt", encoding: .utf8) == drawn)
    }

    private enum SourceFolder {
        static let path = #filePath.components(separatedBy: "/Tests/QRCodesTests/")[0]
    }
}
