import CivilTime
import FoundationEssentials

/// Writes a table: a row a task, a column a field, whatever its value.
struct CommaSeparatedLayout: TaskLayout {
    private let context: WritingContext

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {
        let names = CommaSeparatedColumn.allCases.map(\.rawValue)
        bytes += names.joined(separator: ",").utf8
        bytes += "\r\n".utf8
    }

    mutating func append(_ task: TaskDocument, to bytes: inout [UInt8]) {
        for column in CommaSeparatedColumn.allCases {
            if column != .id { bytes.append(UInt8(ascii: ",")) }
            write(column, of: task, to: &bytes)
        }
        bytes += "\r\n".utf8
    }

    mutating func end(_ bytes: inout [UInt8]) {}

    private func write(_ column: CommaSeparatedColumn, of task: TaskDocument, to bytes: inout [UInt8]) {
        switch column {
        case .id: bytes.append(task.id)
        case .text: bytes.append(field: guarded(task.text))
        case .state: bytes += task.state.rawValue.utf8
        case .createdAt: bytes.append(task.createdAt)
        case .updatedAt: bytes.append(task.updatedAt)
        case .completedAt: bytes.append(optional: task.completedAt)
        case .scheduledDate: if let day = task.scheduledDate { bytes.append(day) }
        case .sortOrder: bytes += String(task.sortOrder).utf8
        case .notes: bytes.append(field: guarded(task.notes))
        case .category: bytes.append(field: guarded(task.category))
        case .completedZone: bytes.append(field: guarded(task.completedZone))
        case .completedOffsetSeconds: bytes += (task.completedOffsetSeconds.map(String.init) ?? "").utf8
        case .completionEpoch: bytes += String(task.completionEpoch).utf8
        case .dueAt: bytes.append(optional: task.dueAt)
        case .dueIsAllDay: bytes += String(task.dueIsAllDay).utf8
        case .reminderAt: bytes.append(optional: task.reminderAt)
        default: writePlanning(column, of: task, to: &bytes)
        }
    }

    private func writePlanning(_ column: CommaSeparatedColumn, of task: TaskDocument, to bytes: inout [UInt8]) {
        switch column {
        case .listID: if let id = task.listID { bytes.append(id) }
        case .listOrder: bytes += String(task.listOrder).utf8
        case .region: bytes += task.region.rawValue.utf8
        case .bucket: bytes += task.bucket.rawValue.utf8
        case .planOrder: bytes += String(task.planOrder).utf8
        case .autoCarry: bytes += String(task.autoCarry).utf8
        case .isSticky: bytes += String(task.isSticky).utf8
        case .expiresAt: bytes.append(optional: task.expiresAt)
        case .archivedAt: bytes.append(optional: task.archivedAt)
        case .isRecurring: bytes += String(task.isRecurring).utf8
        case .recurringPattern: bytes.append(field: guarded(task.recurringPattern))
        case .parentRecurringID: if let id = task.parentRecurringID { bytes.append(id) }
        case .carriedFromDay: if let day = task.carriedFromDay { bytes.append(day) }
        case .carryCount: bytes += String(task.carryCount).utf8
        case .extra: bytes.append(field: task.extra ?? "")
        default: break
        }
    }

    private func guarded(_ text: String?) -> String {
        guard let text else { return "" }
        return context.isRaw ? text : FormulaGuard.added(to: text)
    }
}

extension [UInt8] {
    fileprivate mutating func append(optional instant: Instant?) {
        if let instant { append(instant) }
    }

    /// Writes a text, in quotation marks where it could be taken for more than one field, or for less.
    fileprivate mutating func append(field text: String) {
        let mark = UInt8(ascii: "\"")
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != mark && byte != UInt8(ascii: ",") && byte != UInt8(ascii: ";")
        }
        if isPlain, text.utf8.first != 0x20, text.utf8.last != 0x20 { return append(contentsOf: text.utf8) }
        append(mark)
        for byte in text.utf8 {
            if byte == mark { append(mark) }
            append(byte)
        }
        append(mark)
    }
}
