import CivilTime
import KeyValue

/// One row of the change log: the changes of a transaction with every image before, and the links for undo and redo.
struct ChangeRow: Equatable {
    enum Kind: UInt8 {
        case edit = 0
        case undo = 1
        case redo = 2
    }

    struct Entry: Equatable {
        let collection: UInt32
        let key: [UInt8]
        var changedFields: UInt64
        /// The record's bytes before the transaction; nil when it was not there.
        var image: [UInt8]?
        /// Whether the record is there after the transaction.
        var isPresent: Bool
        /// Whether the image was removed: the record cannot be restored.
        var isPurged = false
        /// Whether exactly `changedFields` differ before and after the transaction. Earlier versions also had fields that
        /// a transaction changed and changed back.
        var hasExactFields = true
    }

    /// Links that make the rows a stack for undo and one for redo, without ever changing an old row.
    struct History: Equatable {
        /// The first row of the operation that this row ends; the rows between belong to it.
        var operationStart: UInt64 = 0
        /// The row that undo reverts next; 0 for none.
        var undoTop: UInt64 = 0
        /// What `undoTop` becomes once this row has been undone.
        var undoNext: UInt64 = 0
        /// The undo row that redo reverts next; 0 for none.
        var redoTop: UInt64 = 0
        /// What `redoTop` becomes once this row has been redone.
        var redoNext: UInt64 = 0
    }

    var instant: Instant
    var kind: Kind
    /// What the application did and on whose behalf.
    var label: ChangeLabel
    /// The number in place of the operation's name, in a row of version 1.
    var formerOperation: UInt8?
    var history: History
    var entries: [Entry]

    /// Version 1 had a number for the operation and no name.
    private static let version: UInt8 = 2
    private static let nameLimit = 60
    private static let headCount = 1 + 1 + 1 + 1 + 8 + 5 * 8 + 4

    var encoded: [UInt8] {
        // A row of version 1 is written again by a purge, and keeps its number.
        var bytes: [UInt8] = [Self.version, kind.rawValue, formerOperation ?? 0, label.origin.rawValue]
        bytes.reserveCapacity(Self.headCount + entries.reduce(0) { $0 + 40 + ($1.image?.count ?? 0) })
        bytes.append(littleEndian: instant.microsecondsSince1970)
        for link in [history.operationStart, history.undoTop, history.undoNext, history.redoTop, history.redoNext] {
            bytes.append(littleEndian: link)
        }
        bytes.append(littleEndian: UInt32(entries.count))
        let name = label.operation.utf8.prefix(Self.nameLimit)
        bytes.append(UInt8(name.count))
        bytes += name
        for entry in entries {
            bytes.append(littleEndian: entry.collection)
            bytes.append(littleEndian: entry.changedFields)
            bytes.append(entry.flags)
            bytes.append(UInt8(entry.key.count))
            bytes.append(contentsOf: entry.key)
            if let image = entry.image {
                bytes.append(littleEndian: UInt32(image.count))
                bytes.append(contentsOf: image)
            }
        }
        return bytes
    }

    init(instant: Instant, kind: Kind, label: ChangeLabel, history: History, entries: [Entry]) {
        self.instant = instant
        self.kind = kind
        self.label = label
        self.history = history
        self.entries = entries
    }

    /// Nil when the bytes are not a row.
    init?(decoding bytes: RawSpan, headOnly: Bool = false) {
        guard bytes.byteCount >= Self.headCount, 1...Self.version ~= bytes[byteAt: 0],
            let kind = Kind(rawValue: bytes[byteAt: 1])
        else { return nil }
        self.kind = kind
        label = ChangeLabel(origin: ChangeOrigin(rawValue: bytes[byteAt: 3]))
        var offset = Self.headCount
        if bytes[byteAt: 0] >= 2 {
            guard offset < bytes.byteCount else { return nil }
            let end = offset + 1 + Int(bytes[byteAt: offset])
            guard end <= bytes.byteCount else { return nil }
            label.operation = String(decoding: bytes.extracting((offset + 1)..<end).copied, as: UTF8.self)
            offset = end
        }
        if label.operation.isEmpty, bytes[byteAt: 2] != 0 || bytes[byteAt: 0] == 1 {
            formerOperation = bytes[byteAt: 2]
        }
        instant = Instant(microsecondsSince1970: bytes.littleEndian(at: 4))
        history = History(
            operationStart: bytes.littleEndian(at: 12), undoTop: bytes.littleEndian(at: 20),
            undoNext: bytes.littleEndian(at: 28), redoTop: bytes.littleEndian(at: 36),
            redoNext: bytes.littleEndian(at: 44))
        entries = []
        if headOnly { return }
        let count = Int(bytes.littleEndian(at: 52, as: UInt32.self))
        while entries.count < count {
            guard let entry = Entry(decoding: bytes, at: &offset) else { return nil }
            entries.append(entry)
        }
        guard offset == bytes.byteCount else { return nil }
    }
}

extension ChangeRow.History {
    /// The links of a row that is neither of an undo nor of a redo.
    ///
    /// - Parameters:
    ///   - sequence: its number.
    ///   - last: the row before it, if there is one.
    ///   - start: the first row of the operation that it may continue.
    ///   - isUndoable: whether a person's undo takes it back.
    init(ofEdit sequence: UInt64, after last: ChangeRow?, continuing start: UInt64?, isUndoable: Bool) {
        guard isUndoable else {
            // It is on no stack, and leaves both as they are.
            self.init(
                operationStart: start ?? sequence, undoTop: last?.history.undoTop ?? 0,
                redoTop: last?.history.redoTop ?? 0)
            return
        }
        self.init(operationStart: sequence, undoTop: sequence, undoNext: last?.history.undoTop ?? 0)
        if let last, last.kind == .edit, let start, last.history.operationStart == start {
            operationStart = start
            undoNext = last.history.undoNext
        }
    }
}

extension ChangeRow.Entry {
    fileprivate var flags: UInt8 {
        (image == nil ? 0 : 1) | (isPresent ? 2 : 0) | (isPurged ? 4 : 0) | (hasExactFields ? 8 : 0)
    }

    /// Whether the record was there before the transaction.
    var wasThere: Bool { image != nil || isPurged }

    fileprivate init?(decoding bytes: RawSpan, at offset: inout Int) {
        guard offset + 14 <= bytes.byteCount else { return nil }
        collection = bytes.littleEndian(at: offset)
        changedFields = bytes.littleEndian(at: offset + 4)
        let flags = bytes[byteAt: offset + 12]
        let keyEnd = offset + 14 + Int(bytes[byteAt: offset + 13])
        guard keyEnd <= bytes.byteCount else { return nil }
        key = bytes.extracting((offset + 14)..<keyEnd).copied
        isPresent = flags & 2 != 0
        isPurged = flags & 4 != 0
        hasExactFields = flags & 8 != 0
        offset = keyEnd
        guard flags & 1 != 0 else {
            image = nil
            return
        }
        guard offset + 4 <= bytes.byteCount else { return nil }
        let imageEnd = offset + 4 + Int(bytes.littleEndian(at: offset, as: UInt32.self))
        guard imageEnd <= bytes.byteCount else { return nil }
        image = bytes.extracting((offset + 4)..<imageEnd).copied
        offset = imageEnd
    }
}
