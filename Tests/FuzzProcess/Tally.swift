/// What came of the mutations of one reader.
struct Tally {
    var accepted = 0
    var refused: [String: Int] = [:]
    /// Those of processes that did not live to tell.
    var lost = 0
    var peakBytes = 0
    var seconds = 0.0

    var count: Int { accepted + refused.values.reduce(0, +) + lost }

    mutating func add(_ verdict: Verdict) {
        switch verdict {
        case .accepted: accepted += 1
        case .refused(let kind): refused[kind, default: 0] += 1
        }
    }

    /// One line of a word and numbers each, for the process that started this one.
    var lines: [String] {
        ["accepted \(accepted)", "peak \(peakBytes)"] + refused.map { "refused \($0.key) \($0.value)" }
    }

    mutating func add(line: Substring) {
        let words = line.split(separator: " ")
        guard let last = words.last, let number = Int(last) else { return }
        switch words[0] {
        case "accepted": accepted += number
        case "peak": peakBytes = max(peakBytes, number)
        case "refused": refused[String(words[1]), default: 0] += number
        default: break
        }
    }
}
