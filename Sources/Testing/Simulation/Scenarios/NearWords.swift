/// The word that was probably meant, for error messages.
enum NearWords {
    /// The nearest of the known words; nil when none is near.
    static func nearest(to word: String, of known: some Sequence<String>) -> String? {
        let wanted = plain(word)
        let allowed = max(1, wanted.count / 3)
        // Nobody means a key by a whole sentence, and the comparison takes the product of both lengths.
        guard (2...40).contains(wanted.count) else { return nil }
        var best: (distance: Int, word: String)?
        for candidate in known {
            let distance = edits(wanted, plain(candidate))
            if distance <= allowed, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.word
    }

    /// `: did you mean 'create'?`, or an end of the sentence that fits when no word is near.
    static func suggestion(for word: String, of known: some Sequence<String>, otherwise: String) -> String {
        nearest(to: word, of: known).map { ": did you mean '\($0)'?" } ?? otherwise
    }

    /// `week-starts`, `weekStarts` and `Week starts` are the same.
    private static func plain(_ word: String) -> [UInt8] {
        word.lowercased().utf8.filter { !" -_".utf8.contains($0) }
    }

    /// How many letters must be added, left out, replaced or exchanged with the next to make one word the other.
    private static func edits(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var next = [i + 1]
            for (j, other) in right.enumerated() {
                var cost = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { cost = min(cost, before[j - 1] + 1) }
                next.append(cost)
            }
            before = row
            row = next
        }
        return row[right.count]
    }
}
