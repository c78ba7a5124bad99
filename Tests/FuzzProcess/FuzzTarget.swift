import ByteStreams
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
