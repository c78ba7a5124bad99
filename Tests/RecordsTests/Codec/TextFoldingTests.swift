import TestSupport
import Testing

@testable import Records

@Suite struct TextFoldingTests {
    private func folded(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        TextFolding.forEachScalar(of: text) { scalar in
            scalars.append(scalar)
            return true
        }
        return scalars
    }

    private func byDefinition(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        TextFolding.forEachScalar(ofDefinedForm: text) { scalar in
            scalars.append(scalar)
            return true
        }
        return scalars
    }

    @Test("Every scalar folds as the definition says, alone and between letters and marks [F-13]")
    func everyScalar() {
        for value in UInt32(0)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)", "e\(scalar)\u{301}É", "\u{93C}\(scalar)\u{5B0}x"]
            where folded(text) != byDefinition(text) {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
    }

    @Test(
        "Random texts fold as the definition says, and a closure that returns false ends it [F-13]",
        arguments: 1...20 as ClosedRange<UInt64>)
    func randomTexts(seed: UInt64) {
        var random = Dice(seed)
        let pool: [UInt32] = [
            0x41, 0x61, 0x20, 0xC9, 0xDF, 0x130, 0x149, 0x1C4, 0x23F, 0x240, 0x300, 0x301, 0x323, 0x5B0, 0x93C, 0x94D,
            0x1100,
            0x1161, 0x11A8, 0xAC01, 0x304B, 0x3099, 0x1E9E, 0xFB01, 0x1F600, 0x212B, 0x334, 0x34F, 0x390, 0x3AC, 0x439,
            0x587, 0x622, 0x64B, 0x4E2D, 0x9FFF, 0x345, 0x5C1,
        ]
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<random.below(12) {
                if let scalar = Unicode.Scalar(pool[random.below(pool.count)]) { text.unicodeScalars.append(scalar) }
            }
            let whole = byDefinition(text)
            #expect(folded(text) == whole, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
            var rest = whole.count / 2
            var start: [Unicode.Scalar] = []
            TextFolding.forEachScalar(of: text) { scalar in
                start.append(scalar)
                rest -= 1
                return rest > 0
            }
            #expect(start == Array(whole.prefix(max(whole.count / 2, 1))))
        }
    }
}
