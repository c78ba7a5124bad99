import ByteStreams
import FoundationEssentials
import Glibc
import Records

/// One reader, and the files that it is tried with.
protocol FuzzTarget {
    /// The input of a mutation.
    func input(_ random: inout FuzzRandom) throws -> [UInt8]

    /// Reads it: what was made of it, or a refusal as the reader's own error.
    ///
    /// - Throws: ``Finding`` when the answer is wrong.
    func read(_ input: [UInt8], _ random: inout FuzzRandom) throws -> Verdict
}

/// What a reader made of an input.
enum Verdict: Equatable {
    case accepted
    /// By this kind of error.
    case refused(String)
}

extension FuzzTarget {
    /// The verdict of a reading: every error has to be one of the reader's own, and must not quote what it read.
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
        }
        let text = text()
        try Leak.check(Plant.active == .text ? description + String(decoding: text, as: UTF8.self) : description, text)
        return .refused(kind)
    }

    /// The name of its case.
    private static func kind(of error: some Error) -> String {
        switch error as? FileError {
        case .damagedCompression: "damagedCompression"
        case .excessiveExpansion: "excessiveExpansion"
        default: Mirror(reflecting: error).children.first?.label ?? "other"
        }
    }
}

/// What must not be: the reader did not crash, but its answer is wrong.
struct Finding: Error {
    /// A word for the kind of thing.
    let kind: String
    let text: String

    init(_ kind: String, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

/// Finds text of a file in the description of an error: user text never reaches one.
enum Leak {
    private static let runLength = 12

    /// Long words that errors say of themselves, and that files have as keys.
    private static let ownWords: Set<String> = [
        "scheduledDate", "reminderDate", "recurringPattern", "completedZone", "completedOffsetSeconds",
        "completionEpoch",
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

/// A folder in memory for the readers that read files; of one process, and gone at its end. After a crash the one that
/// started the process removes it.
enum ScratchFolder {
    static func path(of process: pid_t) -> String {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        return "\(parent)/daybook-fuzz-\(process)"
    }

    static func make() throws -> String {
        let path = path(of: getpid())
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }
}
