import ByteStreams
import CivilTime
import Journals

/// A line of a text of jrnl that begins an entry, or that looks as if it should.
struct JrnlHeading {
    /// The number of the line, from 0.
    let line: Int
    /// What follows the date and the time.
    let rest: Substring
    /// The date and the time; nil for a heading that cannot be read.
    let moment: JrnlMoment?

    /// Finds the headings in the lines of a text. The first line that is not blank decides: if it has brackets, all headings have
    /// them, as in jrnl since 2.0, and a line that begins with a bare date is text. If it has none, those lines are headings that
    /// begin with a date, and with a time if the first one has it; lines with a date in brackets are headings there, too, since jrnl
    /// reads them so.
    static func all(in lines: [Substring]) -> [Self] {
        guard let first = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else { return [] }
        let bare = first.first == "[" ? nil : Self.moment(atStartOf: first)?.moment
        let hasShortYears = first.first == "[" && Self.moment(inBracketsOf: first)?.moment.hasShortYear ?? false
        return lines.enumerated().compactMap { number, line in
            if line.first == "[" {
                guard let (moment, rest, unknown) = Self.moment(inBracketsOf: line) else { return nil }
                let isRead = unknown == 0 && moment.hasDate
                // A version is no date, unless the journal has such dates.
                if moment.hasShortYear, !moment.hasTime, !hasShortYears { return nil }
                guard isRead || moment.looksLikeHeading(words(of: line), unknown: unknown) else { return nil }
                return Self(line: number, rest: rest, moment: unknown == 0 ? moment : nil)
            }
            guard let bare, let (moment, rest) = Self.moment(atStartOf: line), !bare.hasTime || moment.hasTime,
                bare.hasTime || moment.form == bare.form
            else { return nil }
            return Self(line: number, rest: rest, moment: moment)
        }
    }

    /// The date and the time in the brackets that a line begins with, what follows them, and how many words are none of both; nil for
    /// what is no heading by its form: a link, a footnote, something long.
    private static func moment(inBracketsOf line: Substring) -> (moment: JrnlMoment, rest: Substring, unknown: Int)? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        let inside = line[..<end].dropFirst()
        let rest = line[end...].dropFirst()
        // As jrnl has it, six characters are a footnote.
        guard 7...64 ~= inside.count, !(rest.first.map { "([:".contains($0) } ?? false) else { return nil }
        var (moment, unknown) = (JrnlMoment(), 0)
        for word in words(of: line) where !moment.take(word, isBracketed: true) { unknown += 1 }
        return (moment, rest.drop { $0 == " " || $0 == "\t" }, unknown)
    }

    /// The words in the brackets that a line begins with, without those between date and time.
    private static func words(of line: Substring) -> [Substring] {
        line.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace).filter { !JrnlMoment.isFiller($0) }
    }

    /// The date and the time that a line begins with, and what follows; nil for none.
    private static func moment(atStartOf line: Substring) -> (moment: JrnlMoment, rest: Substring)? {
        guard line.first?.isWhitespace == false else { return nil }
        var moment = JrnlMoment()
        var found: (moment: JrnlMoment, rest: Substring)?
        var wasFiller = false
        for word in line.prefix(64).split(separator: " ") {
            if JrnlMoment.isFiller(word), moment.hasDate, !wasFiller {
                wasFiller = true
                continue
            }
            let before = moment
            guard moment.take(word, isBracketed: false) else { break }
            // A weekday after the date belongs to it if the time follows; else it is text, as in "2026-02-11 Sun is out".
            let isComplete = moment.hasDate && !moment.isIncomplete
            if isComplete, !before.hasDate || moment.weekday == before.weekday {
                found = (moment, line[word.endIndex...].drop { $0 == " " })
            }
            wasFiller = false
        }
        return found
    }
}

extension JrnlMoment {
    /// Whether words that are no date and time, or not all of them, are meant as one: in another language, with a zone, without a
    /// year. Words in the brackets of a text are rarely so.
    fileprivate func looksLikeHeading(_ words: [Substring], unknown: Int) -> Bool {
        guard unknown <= 3 else { return false }
        let hasYear = year != nil || words.contains(where: Self.containsYear)
        let hasClock = hasTime || words.contains(where: Self.isClock)
        let hasPair = words.contains(where: Self.isPair)
        if hasYear, hasClock { return true }
        if hasClock, unknown <= 1, hasPair || hasMonth && hasDay { return true }
        guard unknown <= 2, hasYear else { return false }
        return hasDate || hasMonth || hasPair || Self.hasNamedDate(words)
    }

    /// Digits, a colon, digits.
    private static func isClock(_ word: Substring) -> Bool {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        return 2...3 ~= parts.count && (parts[0].last?.isNumber ?? false) && (parts[1].first?.isNumber ?? false)
    }

    /// Two numbers, such as `07-24` and `2019/07`.
    private static func isPair(_ word: Substring) -> Bool {
        let parts = word.split(omittingEmptySubsequences: false) { "-./".contains($0) }
        let pair = parts.last == "" ? parts.dropLast() : parts[...]
        guard pair.count == 2, let first = Int(pair[0]), let last = Int(pair[1]) else { return false }
        return 1...31 ~= last && (1...31 ~= first || containsYear(pair[0]))
    }

    /// Four digits of a year, and no more.
    private static func containsYear(_ word: Substring) -> Bool {
        word.split { !($0.isASCII && $0.isNumber) }.contains { $0.utf8.count == 4 && hasYear($0) }
    }

    /// `24. Juli 2019`, `Juli 24, 2019`.
    private static func hasNamedDate(_ words: [Substring]) -> Bool {
        func isDay(_ word: Substring) -> Bool {
            let digits = word.prefix { $0.isASCII && $0.isNumber }
            return word.count - digits.count <= 2 && Int(digits).map { 1...31 ~= $0 } ?? false
        }
        func isName(_ word: Substring) -> Bool { word.first?.isLetter ?? false }
        return zip(zip(words, words.dropFirst()), words.dropFirst(2)).contains { pair, year in
            containsYear(year) && (isDay(pair.0) && isName(pair.1) || isName(pair.0) && isDay(pair.1))
        }
    }
}

extension JournalFile {
    /// The text of jrnl: each entry begins with a line that begins with its time.
    init(jrnlText text: String, zone: Zone, options: JournalImportOptions) throws {
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        let headings = JrnlHeading.all(in: lines)
        guard let first = headings.first else { throw Self.unknownFormat() }
        self.init()
        if let before = lines[..<first.line].firstIndex(where: { !$0.allSatisfy(\.isWhitespace) }) {
            try leaveOut(1, line: before + 1, RecordProblem("it is before the first heading"), options)
        }
        let orders = JrnlOrders(headings.compactMap(\.moment), given: options.dateOrder)
        for (index, heading) in headings.enumerated() {
            let end = index + 1 < headings.count ? headings[index + 1].line : lines.count
            var content = [heading.rest] + lines[heading.line + 1..<end]
            while content.last?.allSatisfy(\.isWhitespace) ?? false { content.removeLast() }
            do throws(RecordProblem) {
                guard let moment = heading.moment else {
                    throw RecordProblem(
                        "its heading cannot be read; write it as \(JrnlMoment.example), or indent the line if it is text"
                    )
                }
                let text = content.joined(separator: "\n")
                let timestamp = try moment.instant(orders.order(of: moment), in: zone)
                add(
                    ImportedEntry(id: Self.id(timestamp, text), content: text, timestamp: timestamp), number: index + 1,
                    line: heading.line + 1)
            } catch {
                try leaveOut(index + 1, line: heading.line + 1, error, options)
            }
        }
    }
}

/// The order of day and month in the dates of a journal, by their separator: what one of them shows holds for all.
private struct JrnlOrders {
    private var orders: [Character: JournalDateOrder] = [:]
    private let given: JournalDateOrder?

    init(_ moments: [JrnlMoment], given: JournalDateOrder?) {
        self.given = given
        var seen: [Character: Set<JournalDateOrder>] = [:]
        for moment in moments {
            guard let unordered = moment.unordered, unordered.first != unordered.second else { continue }
            let possible = moment.orders()
            if possible.count == 1 { seen[unordered.separator, default: []].formUnion(possible) }
        }
        // Where dates show both orders, each counts for itself alone.
        for (separator, found) in seen { orders[separator] = found.count == 1 ? found.first : nil }
        if seen["."] == nil { orders["."] = .dayFirst }
    }

    /// Nil where it is not known.
    func order(of moment: JrnlMoment) -> JournalDateOrder? {
        guard let unordered = moment.unordered else { return nil }
        let possible = moment.orders()
        if possible.count == 1 { return possible.first }
        return orders[unordered.separator] ?? given
    }
}
