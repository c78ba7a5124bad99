import KeyValue

/// The fields of a stored record as they are on disk, without knowledge of the record's type: for dumps of any
/// collection, known or unknown. Writing them again gives the same bytes.
package struct StoredFields: Sendable, Hashable {
    /// One stored field.
    package struct Field: Sendable, Hashable {
        /// The field's number.
        package var number: Int
        /// How its content is written.
        package var form: FieldForm
        /// The content, without the length that precedes it in the forms of variable length.
        package var content: [UInt8]

        package init(number: Int, form: FieldForm, content: [UInt8]) {
            self.number = number
            self.form = form
            self.content = content
        }
    }

    /// The fields in ascending order of their numbers.
    package var fields: [Field]

    package init(_ fields: [Field]) {
        self.fields = fields
    }

    /// Splits the value of a record, without its checksum; nil when it is not a list of fields in ascending order.
    package init?(_ value: RawSpan) {
        guard value.byteCount >= 1, value[byteAt: 0] == FieldEncoder.version, FieldLayout.isValid(value) else {
            return nil
        }
        fields = []
        var position = 1
        while let end = FieldLayout.endOfField(in: value, at: position),
            let form = FieldForm(rawValue: value[byteAt: position + 1])
        {
            let content = value.extracting((position + 2 + form.lengthWidth)..<end)
            fields.append(Field(number: Int(value[byteAt: position]), form: form, content: content.copied))
            position = end
        }
    }

    /// Splits a copy of such a value.
    package init?(_ value: [UInt8]) { self.init(value.span.bytes) }

    /// The value of a record that has these fields, without a checksum; nil when a number does not fit a byte
    /// or does not ascend, or when a content does not fit its form.
    package var value: [UInt8]? {
        var bytes = [FieldEncoder.version]
        var previous = 0
        for field in fields {
            guard field.number > previous, let number = UInt8(exactly: field.number) else { return nil }
            previous = field.number
            bytes.append(number)
            bytes.append(field.form.rawValue)
            switch field.form {
            case .oneByte, .fourBytes, .eightBytes, .sixteenBytes:
                guard field.content.count == field.form.width else { return nil }
            case .shortBytes:
                guard let count = UInt8(exactly: field.content.count) else { return nil }
                bytes.append(count)
            case .longBytes:
                guard let count = UInt32(exactly: field.content.count) else { return nil }
                bytes.append(littleEndian: count)
            }
            bytes += field.content
        }
        return bytes
    }
}

extension WriteTransaction {
    /// Writes a record from its stored bytes, with the index entries and counts that follow from them: for loading a
    /// dump into an open store. Fields that this version does not know are kept.
    ///
    /// - Throws: `unknownCollection` for a collection that the store was not opened with, `refusedRecord` for bytes that
    ///   are not a valid record of the collection.
    package func putStored(key: [UInt8], value: [UInt8], in collection: String) throws {
        guard let bound = schema.collection(number: Checksum.collectionNumber(of: collection)),
            bound.name == collection
        else { throw RecordsError.unknownCollection(name: collection) }
        guard 1...64 ~= key.count else {
            throw RecordsError.refusedRecord(collection: collection, key: KeyBytes(key).hexadecimal)
        }
        try bound.put(KeyBytes(key), value, in: self)
    }
}
