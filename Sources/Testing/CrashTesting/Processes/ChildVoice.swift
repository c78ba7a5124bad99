import Glibc

/// How a child speaks to the lab: in lines of a word and its value, each sent at once, so that what was said is known
/// when the child dies.
struct ChildVoice {
    let pipe: Int32

    func say(_ word: String, _ value: String = "") {
        let line = value.replacing("\n", with: " ")
        let bytes = Array("\(word) \(line)\n".utf8)
        var sent = 0
        while sent < bytes.count {
            let count = Glibc.write(pipe, Array(bytes[sent...]), bytes.count - sent)
            guard count > 0 || errno == EINTR else { return }
            sent += max(0, count)
        }
    }
}

extension ChildPool.Ending {
    /// The last value that was said for a word.
    func value(of word: String) -> String? { values(of: word).last }

    /// Every value that was said for a word.
    func values(of word: String) -> [String] {
        lines.compactMap { $0.hasPrefix(word + " ") ? String($0.dropFirst(word.count + 1)) : nil }
    }

    /// What went wrong, in words; nil for a child that did its work. Without the folder that it worked in, so that the
    /// same problem reads the same wherever it comes up.
    var failure: String? {
        wordsOfFailure?.replacing(/\/[^ ]*\/(image|rot)-[0-9]+\//, with: "")
    }

    private var wordsOfFailure: String? {
        let stage = value(of: "stage").map { " while \($0)" } ?? ""
        return switch way {
        case .finished: nil
        case .killed(let signal): "the process was ended by signal \(signal)\(stage)"
        case .exited(let code):
            value(of: "error").map { "\($0)\(stage)" } ?? "the process ended with code \(code)\(stage)"
        case .timedOut: "no end within the time limit\(stage)"
        }
    }
}
