import KeyValue

/// A word of a text, folded as `TextKey` folds: what people search for.
///
/// A word is a run of letters, digits and marks. Where a script does not separate words by blanks (Chinese, Japanese, Korean,
/// Thai, Lao, Burmese, Khmer), each two neighboring characters of a run are a word, and its last character is one: so any part
/// of such a run is found by the characters in it. Of a longer word the first 36 bytes of UTF-8 count, whole scalars only:
/// 36 Latin or 18 Cyrillic letters.
public struct Word: Sendable, Hashable {
    /// In UTF-8.
    let bytes: KeyBytes

    static let byteLimit = 36

    /// The text of the word.
    public var text: String { String(decoding: bytes.array, as: UTF8.self) }

    /// A word that no text has: a mark, which is no letter, and the beginning of a name. So an index of words can have names as well.
    package init(mark: UInt8, _ name: TextKey) {
        var bytes = KeyBytes()
        bytes.append(mark)
        for scalar in name.form.unicodeScalars {
            let scalar = Array(String(scalar).utf8)
            guard bytes.count + scalar.count <= Self.byteLimit else { break }
            for byte in scalar { bytes.append(byte) }
        }
        self.bytes = bytes
    }

    init(bytes: KeyBytes) { self.bytes = bytes }

    /// Whether the word begins with another one.
    public func begins(with prefix: Word) -> Bool { bytes.bytes.starts(with: prefix.bytes.bytes) }

    /// Returns the distinct words of texts, in their order, up to a limit.
    public static func all(in texts: [String], limit: Int = .max) -> [Word] {
        distinct(in: texts, limit: limit, forSearch: false)
    }

    /// Returns the words to search for where a person typed a text: of a run without blanks only the pairs of characters.
    public static func searched(in text: String, limit: Int = .max) -> [Word] {
        distinct(in: [text], limit: limit, forSearch: true)
    }

    private static func distinct(in texts: [String], limit: Int, forSearch: Bool) -> [Word] {
        var words: [Word] = []
        // A short text has no use for hashes.
        var known: Set<Word> = []
        for text in texts where words.count < limit {
            WordScanner.scan(text, forSearch: forSearch) { word in
                let word = Word(bytes: word)
                if words.count < searchedCount {
                    if !words.contains(word) { words.append(word) }
                } else {
                    if known.isEmpty { known.formUnion(words) }
                    if known.insert(word).inserted { words.append(word) }
                }
                return words.count < limit
            }
        }
        return words
    }

    /// Up to how many words are compared one by one.
    private static let searchedCount = 24
}

/// The key of an index of words: a word, then what its hits are sorted by.
///
///     static let byWord = Index<Entry, WordKey<Descending<Instant>>>(each: "byWord") { entry in
///         Word.all(in: [entry.text]).map { WordKey($0, Descending(entry.createdAt)) }
///     }
///
/// A key has the word's bytes, a zero, and the rank's bytes, so that the hits of one word are one range.
/// `transaction[Entry.byWord].search(...)` reads it.
public struct WordKey<Rank: OrderedKey>: OrderedKey {
    /// The word.
    public let word: Word
    /// What the hits of a word are sorted by, always of one length.
    public let rank: Rank

    /// The key of a word in a record.
    public init(_ word: Word, _ rank: Rank) {
        self.word = word
        self.rank = rank
    }

    /// The longest key: it depends on the word.
    public static var width: Int { Word.byteLimit + 1 + Rank.width }

    /// False: words have different lengths.
    public static var hasFixedWidth: Bool { false }

    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) {
        key.append(contentsOf: word.bytes)
        key.append(0)
        rank.encode(into: &key)
    }

    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        var bytes = KeyBytes()
        var byte: UInt8 = try key.bigEndian()
        while byte != 0 {
            bytes.append(byte)
            byte = try key.bigEndian()
        }
        word = Word(bytes: bytes)
        rank = try Rank(decoding: &key)
    }
}
