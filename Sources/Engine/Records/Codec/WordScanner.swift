/// Splits a text into words, in one pass over its folded scalars.
struct WordScanner {
    /// What a scalar is to a word.
    private enum Part {
        /// Ends a word.
        case separator
        /// Part of a word between blanks.
        case letter
        /// The beginning of a character of a script without blanks.
        case character
        /// Part of the word or character before it.
        case mark
    }

    /// The word, or the last character of a run without blanks, so far.
    private var current = KeyBytes()
    /// The character before it in a run without blanks.
    private var previous = KeyBytes()
    private var isInRun = false
    /// Whether a scalar did not fit any more, so that what follows it must not be added either.
    private var isCut = false
    private let isForSearch: Bool

    private init(isForSearch: Bool) {
        self.isForSearch = isForSearch
    }

    /// Calls a closure with each word until it returns false; a word can come more than once.
    ///
    /// - Parameter forSearch: whether to leave out the last character of a run of several without blanks.
    static func scan(_ text: String, forSearch: Bool, _ body: (KeyBytes) -> Bool) {
        var scanner = WordScanner(isForSearch: forSearch)
        var isStopped = false
        TextFolding.forEachScalar(of: text) { scalar in
            isStopped = !scanner.read(scalar, body)
            return !isStopped
        }
        if !isStopped { _ = scanner.endWord(body) }
    }

    private mutating func read(_ scalar: Unicode.Scalar, _ body: (KeyBytes) -> Bool) -> Bool {
        switch Self.part(scalar) {
        case .separator:
            return endWord(body)
        case .mark:
            if current.count > 0 { append(scalar) }
            return true
        case .letter:
            if isInRun, !endWord(body) { return false }
            append(scalar)
            return true
        case .character:
            if !isInRun, !endWord(body) { return false }
            isInRun = true
            guard endCharacter(body) else { return false }
            append(scalar)
            return true
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        let limit = isInRun ? Word.byteLimit / 2 : Word.byteLimit
        if scalar.isASCII, !isCut, current.count < limit {
            current.append(UInt8(truncatingIfNeeded: scalar.value))
            return
        }
        let bytes = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        guard !isCut, current.count + bytes.count <= limit else {
            isCut = true
            return
        }
        for byte in bytes { current.append(byte) }
    }

    /// Passes the pair that the current character of a run is the end of.
    private mutating func endCharacter(_ body: (KeyBytes) -> Bool) -> Bool {
        guard current.count > 0 else { return true }
        let hasPair = previous.count > 0
        previous.append(contentsOf: current)
        let pair = previous
        previous = current
        current = KeyBytes()
        isCut = false
        return hasPair ? body(pair) : true
    }

    private mutating func endWord(_ body: (KeyBytes) -> Bool) -> Bool {
        guard current.count > 0 else { return true }
        defer {
            current = KeyBytes()
            previous = KeyBytes()
            isInRun = false
            isCut = false
        }
        guard isInRun else { return body(current) }
        let isAlone = previous.count == 0
        let last = current
        guard endCharacter(body) else { return false }
        return isForSearch && !isAlone ? true : body(last)
    }

    private static func part(_ scalar: Unicode.Scalar) -> Part {
        if scalar.isASCII {
            switch UInt8(truncatingIfNeeded: scalar.value) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .letter
            default: return .separator
            }
        }
        // Looking up a category takes longer than all the rest, and these are nearly all scalars there are.
        if scalar.value < 0x800 { return frequent[Int(scalar.value)] }
        if TextFolding.han.contains(scalar.value) { return .character }
        return partByCategory(scalar)
    }

    /// The parts of the scalars below U+0800.
    private static let frequent: [Part] = (0..<0x800 as Range<UInt32>).map { value in
        Unicode.Scalar(value).map(partByCategory) ?? .separator
    }

    private static func partByCategory(_ scalar: Unicode.Scalar) -> Part {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark:
            return .mark
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
            return unspaced(scalar.value)
        case .decimalNumber, .otherNumber:
            return .letter
        default:
            return .separator
        }
    }

    /// The part of a letter: scripts that do not separate words by blanks, or not by them alone.
    private static func unspaced(_ scalar: UInt32) -> Part {
        guard scalar >= 0x0E00 else { return .letter }
        switch scalar {
        // A syllable of Hangul is decomposed: its vowel and its end belong to its beginning.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF:
            return .mark
        case 0x0E00...0x0EFF,  // Thai, Lao
            0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F,  // Burmese
            0x1100...0x115F, 0x3131...0x318E, 0xA960...0xA97F,  // Hangul
            0x1780...0x17FF,  // Khmer
            0x3005...0x3007, 0x3021...0x3029, 0x3041...0x30FF, 0x3105...0x312F, 0x31A0...0x31FF,  // Kana, Bopomofo
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF,  // Han
            0xFF66...0xFFDC,  // halfwidth forms
            0x1B000...0x1B16F, 0x20000...0x3FFFF:
            return .character
        default:
            return .letter
        }
    }
}
