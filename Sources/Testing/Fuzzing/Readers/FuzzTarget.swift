import ByteStreams
import FoundationEssentials
import Glibc
import LabSupport
import Records
import Tasks

/// A reader under test and its corpus.
protocol FuzzTarget {
    /// Returns the input of a mutation.
    func input(_ random: inout SeededGenerator) throws -> [UInt8]

    /// Reads an input and returns whether it was accepted or refused with one of the reader's errors.
    ///
    /// - Throws: ``Finding`` if the result is wrong.
    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict
}

/// The outcome of reading an input.
enum Verdict: Equatable {
    case accepted
    /// The kind of error.
    case refused(String)
}

extension FuzzTarget {
    /// Returns the outcome of a reading. Every error must be one of the reader's own and must not quote the input.
    func judge(quoting text: @autoclosure () -> [UInt8], _ body: () throws -> Void) throws -> Verdict {
        let kind: String
        let description: String
        do {
            try body()
            return .accepted
        } catch let error as FileError {
            kind = Self.kind(of: error)
            description = error.description
        } catch let error as RecordsError {
            kind = Self.kind(of: error)
            description = error.description
        } catch let error as TaskError {
            kind = error.code
            description = "\(error)"
        }
        let text = text()
        try Leak.check(Plant.active == .text ? description + String(decoding: text, as: UTF8.self) : description, text)
        return .refused(kind)
    }

    /// Returns the name of the error's case.
    private static func kind(of error: some Error) -> String {
        switch error as? FileError {
        case .damagedCompression: "damagedCompression"
        case .excessiveExpansion: "excessiveExpansion"
        default: Mirror(reflecting: error).children.first?.label ?? "other"
        }
    }
}

/// A wrong result without a crash.
struct Finding: Error {
    /// The kind, in one word.
    let kind: String
    let text: String

    init(_ kind: String, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// Detects input text in the description of an error. User text must never appear there.
enum Leak {
    private static let runLength = 12

    /// Long words that occur in messages and are also keys of files.
    private static let ownWords: Set<String> = [
        "scheduledDate", "reminderDate", "recurringPattern", "completedZone", "completedOffsetSeconds",
        "completionEpoch", "occurrenceDay", "subtaskOrder", "reminderSecondsIntoDay",
        "parentRecurringID", "carriedFromDay", "complementary", "creationDate", "modifiedDate",
    ]

    /// - Throws: ``Finding`` if a run of 12 letters or more of the description occurs in the file.
    static func check(_ description: String, _ file: [UInt8]) throws {
        for run in description.utf8.split(whereSeparator: { !isLetter($0) }) where run.count >= runLength {
            let word = Array(run)
            guard !ownWords.contains(String(decoding: word, as: UTF8.self)), isPart(word, of: file) else { continue }
            throw Finding("text", "an error quotes the file: \(description.prefix(300))")
        }
    }

    /// Returns whether a byte is an ASCII letter or part of a non-ASCII character.
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

/// Files that readers get by name.
enum FuzzFile {
    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}
