/// Finds text of a file in the description of an error: user text never reaches one.
enum Leak {
    private static let runLength = 12

    /// Long words that errors say of themselves, and that files have as keys.
    private static let ownWords: Set<String> = [
        "scheduledDate", "recurringPattern", "completedZone", "completedOffsetSeconds", "completionEpoch",
        "parentRecurringID", "carriedFromDay", "complementary",
    ]

    /// - Throws: ``Finding`` when a run of 12 letters or more of the description stands in the file as well.
    static func check(_ description: String, _ file: [UInt8]) throws {
        for run in description.utf8.split(whereSeparator: { !isLetter($0) }) where run.count >= runLength {
            let word = Array(run)
            guard !ownWords.contains(String(decoding: word, as: UTF8.self)), isPart(word, of: file) else { continue }
            throw Finding("text", "an error quotes the file: \(description.prefix(300))")
        }
    }

    /// Of ASCII, or a part of any other character.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isPart(_ word: [UInt8], of file: [UInt8]) -> Bool {
        guard let first = word.first, file.count >= word.count else { return false }
        return (0...(file.count - word.count)).contains { start in
            file[start] == first && file[start..<(start + word.count)].elementsEqual(word)
        }
    }
}
