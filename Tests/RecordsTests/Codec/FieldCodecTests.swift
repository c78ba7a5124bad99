import CivilTime
import Foundation
import Testing

@testable import Records

/// A record with a field of every form.
struct EveryForm: Record, Equatable {
    static let collection = RecordCollection<EveryForm>("everyForm") {
        Field(1, "text", .text)
        Field(2, "optionalText", .text)
        Field(3, "number", .integer)
        Field(4, "optionalNumber", .integer)
        Field(5, "word", .unsigned32)
        Field(6, "signedWord", .integer32)
        Field(7, "byte", .unsigned8)
        Field(8, "flag", .boolean)
        Field(9, "real", .double)
        Field(10, "instant", .instant)
        Field(11, "optionalInstant", .instant)
        Field(12, "day", .day)
        Field(13, "data", .bytes)
        Field(63, "reference", .uuid)
    }

    var id = uuid(1)
    var text = ""
    var optionalText: String?
    var number: Int64 = 0
    var optionalNumber: Int64?
    var word: UInt32?
    var signedWord: Int32?
    var byte: UInt8?
    var flag = false
    var real = 0.0
    var instant = Instant(microsecondsSince1970: 0)
    var optionalInstant: Instant?
    var day: Day?
    var data: [UInt8]?
    var reference: UUID?

    init() {}

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
        optionalText = try fields.optionalString(2)
        number = try fields.int64(3)
        optionalNumber = try fields.optionalInt64(4)
        word = try fields.optionalUInt32(5)
        signedWord = try fields.optionalInt32(6)
        byte = try fields.optionalByte(7)
        flag = try fields.bool(8)
        real = try fields.double(9)
        instant = try fields.instant(10)
        optionalInstant = try fields.optionalInstant(11)
        day = try fields.optionalDay(12)
        data = try fields.optionalBytes(13)
        reference = try fields.optionalUUID(63)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, optionalText)
        fields.put(3, number)
        fields.put(4, optionalNumber)
        fields.put(5, word)
        fields.put(6, signedWord)
        fields.put(7, byte)
        fields.put(8, flag)
        fields.put(9, real)
        fields.put(10, instant)
        fields.put(11, optionalInstant)
        fields.put(12, day)
        fields.put(13, data)
        fields.put(63, reference)
    }

    var encoded: [UInt8] {
        var fields = FieldEncoder()
        encode(into: &fields)
        fields.finish()
        return fields.bytes
    }

    init(bytes: [UInt8]) throws {
        var fields = try FieldDecoder(bytes.span.bytes)
        try self.init(id: uuid(1), fields: &fields)
    }

    /// A record that writes every field.
    static var full: EveryForm {
        var record = EveryForm()
        record.optionalText = "text"
        record.optionalNumber = 1
        record.word = 1
        record.signedWord = 1
        record.byte = 1
        record.flag = true
        record.optionalInstant = Instant(microsecondsSince1970: 1)
        record.day = .first
        record.data = [1]
        record.reference = uuid(1)
        return record
    }

    static func random(_ dice: inout Dice) -> EveryForm {
        var record = EveryForm()
        let letters = ["a", "é", "👩‍👩‍👧", "\u{301}", "שלום", "\n", "\u{1}", "z\u{308}"]
        let lengths = [0, 1, 2, 40, 254, 255, 256, 257, 3000]
        func text() -> String { (0..<dice.pick(lengths)).map { _ in dice.pick(letters) }.joined() }
        record.text = text()
        record.optionalText = dice.chance(50) ? text() : nil
        record.number = dice.pick([.min, -1, 0, 1, .max, Int64(bitPattern: dice.next())])
        record.optionalNumber = dice.chance(50) ? dice.pick([.min, 0, .max]) : nil
        record.word = dice.chance(50) ? dice.pick([0, 1, .max]) : nil
        record.signedWord = dice.chance(50) ? dice.pick([.min, -1, 0, .max]) : nil
        record.byte = dice.chance(50) ? UInt8(dice.below(256)) : nil
        record.flag = dice.chance(50)
        record.real = dice.pick([0, -0.5, .infinity, .leastNonzeroMagnitude, .pi])
        record.instant = Instant(microsecondsSince1970: Int64(bitPattern: dice.next()))
        record.optionalInstant = dice.chance(50) ? Instant(microsecondsSince1970: .min) : nil
        record.day = dice.chance(50) ? dice.pick([.first, .last, Day(clampingDaysSince1970: -1)]) : nil
        record.data = dice.chance(50) ? (0..<dice.pick(lengths)).map { UInt8(truncatingIfNeeded: $0) } : nil
        record.reference = dice.chance(50) ? UUID(high: dice.next(), low: dice.next()) : nil
        return record
    }
}

@Suite struct FieldCodecTests {
    @Test("Every value of every form is decoded unchanged [S-10]", arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var dice = Dice(seed)
        for _ in 0..<200 {
            let record = EveryForm.random(&dice)
            #expect(try EveryForm(bytes: record.encoded) == record)
        }
    }

    @Test("Text keeps its bytes, including normalization [C-DM4]")
    func unicodeIsExact() throws {
        for text in ["é", "e\u{301}", "👨‍👩‍👧‍👦", "\u{202E}abc", String(repeating: "ü", count: 50_000)] {
            var record = EveryForm()
            record.text = text
            #expect(try EveryForm(bytes: record.encoded).text.utf8.elementsEqual(text.utf8))
        }
    }

    @Test("A missing field has its default, and a missing required field is an error [S-10, P-DM6]")
    func missingFields() throws {
        #expect(throws: RecordsError.unreadableField(number: 1)) { try EveryForm(bytes: [1]) }
        #expect(throws: RecordsError.unreadableField(number: 3)) { try EveryForm(bytes: [1, 1, 5, 0]) }
    }

    @Test("A field in another form is an error [S-10]")
    func wrongForm() throws {
        // Field 1 as one byte, where a text is required.
        #expect(throws: RecordsError.unreadableField(number: 1)) { try EveryForm(bytes: [1, 1, 1, 7]) }
        // Field 1 as a text that is not UTF-8.
        #expect(throws: RecordsError.unreadableField(number: 1)) { try EveryForm(bytes: [1, 1, 5, 1, 0xFF]) }
        // A day outside the years 1 to 9999.
        var fields = FieldEncoder()
        fields.put(12, Int32.max)
        let bytes = fields.bytes
        #expect(throws: RecordsError.unreadableField(number: 12)) {
            var decoder = try FieldDecoder(bytes.span.bytes)
            _ = try decoder.optionalDay(12)
        }
    }

    @Test("A record of another version is an error")
    func unknownVersion() {
        #expect(throws: RecordsError.unreadableField(number: 0)) { try EveryForm(bytes: []) }
        #expect(throws: RecordsError.unreadableField(number: 0)) { try EveryForm(bytes: [2, 1, 5, 0]) }
    }

    @Test("Decoding a record that is truncated or has any byte changed never traps")
    func hostileBytes() throws {
        var dice = Dice(5)
        for _ in 0..<6 {
            var record = EveryForm.random(&dice)
            record.text = "text"
            record.optionalText = String(repeating: "long", count: 70)
            let bytes = record.encoded
            for count in 0..<bytes.count { attempt(Array(bytes[..<count])) }
            for position in bytes.indices {
                for bit in 0..<8 {
                    var changed = bytes
                    changed[position] ^= 1 << bit
                    attempt(changed)
                }
            }
        }
        for _ in 0..<5000 {
            attempt([1] + (0..<dice.below(40)).map { _ in UInt8(dice.below(dice.chance(50) ? 8 : 256)) })
        }
    }

    private func attempt(_ bytes: [UInt8]) {
        do {
            _ = try EveryForm(bytes: bytes)
        } catch {
            #expect(error is RecordsError)
        }
        _ = FieldLayout(of: bytes)
        _ = FieldLayout.changedFields(from: bytes, to: [1, 1, 5, 0])
        _ = FieldLayout.changedFields(from: [1, 1, 5, 0], to: bytes)
        var encoder = FieldEncoder()
        encoder.carryOver(from: bytes)
        encoder.put(7, UInt8(1))
        encoder.finish()
        _ = ChangeRow(decoding: bytes.span.bytes)
        _ = RollUpRow(decoding: bytes.span.bytes)
        _ = RecordCount(bytes.span.bytes)
    }

    @Test("Decoding a change row that is truncated or has any byte changed never traps")
    func hostileChangeRows() throws {
        let row = ChangeRow(
            instant: TestStore.start, kind: .edit, label: ChangeLabel(operation: "a.b"), history: ChangeRow.History(),
            entries: [
                ChangeRow.Entry(
                    collection: 1, key: [1, 2, 3], changedFields: 5, image: EveryForm().encoded, isPresent: true),
                ChangeRow.Entry(collection: 2, key: [9], changedFields: 1, image: nil, isPresent: false),
            ])
        let bytes = row.encoded
        #expect(ChangeRow(decoding: bytes.span.bytes) == row)
        for count in 0..<bytes.count { #expect(ChangeRow(decoding: Array(bytes[..<count]).span.bytes) == nil) }
        for position in bytes.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[position] = value
                _ = ChangeRow(decoding: changed.span.bytes)
            }
        }
    }

    @Test("Changed fields are reported as bits")
    func changedFields() {
        var dice = Dice(9)
        for _ in 0..<300 {
            let old = EveryForm.random(&dice)
            var new = old
            var expected: UInt64 = 0
            if dice.chance(50) {
                new.number &+= 1
                expected |= 1 << 3
            }
            if dice.chance(50) {
                new.day = old.day == nil ? .first : nil
                expected |= 1 << 12
            }
            if dice.chance(50) {
                new.reference = old.reference == nil ? uuid(7) : nil
                expected |= 1 << 63
            }
            if dice.chance(50) {
                new.flag.toggle()
                expected |= 1 << 8
            }
            #expect(FieldLayout.changedFields(from: old.encoded, to: new.encoded) == expected)
        }
    }
}
