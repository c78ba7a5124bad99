import ByteStreams
import FoundationEssentials

/// The columns of a table of tasks: the keys of `json`, in its order.
enum CommaSeparatedColumn: String, CaseIterable {
    case id, text, state, createdAt, updatedAt, completedAt, scheduledDate, sortOrder
    case notes, category, completedZone, completedOffsetSeconds, completionEpoch, dueAt, dueIsAllDay, reminderAt
    case listID, listOrder, region, bucket, planOrder, autoCarry, isSticky, expiresAt, archivedAt, isRecurring
    case recurringPattern, parentRecurringID, carriedFromDay, carryCount, extra

    /// The column of a name in the header; case means nothing in it.
    init?(header: String) {
        let name = header.trimmed.lowercased()
        guard let column = Self.byName[name] else { return nil }
        self = column
    }

    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })

    /// Whether a field is somebody's text, which a spreadsheet could take for a formula.
    var isText: Bool {
        switch self {
        case .text, .notes, .category, .completedZone, .recurringPattern: true
        default: false
        }
    }

    /// A field as the value that `json` has for it; nil while it is empty, which is the default.
    func value(of field: String) throws(RecordProblem) -> JSONValue? {
        if isText { return field.isEmpty ? nil : .string(FormulaGuard.removed(from: field)) }
        let field = field.trimmed
        if field.isEmpty { return nil }
        switch self {
        case .sortOrder, .completedOffsetSeconds, .completionEpoch, .listOrder, .planOrder, .carryCount:
            return .number(field)
        case .dueIsAllDay, .autoCarry, .isSticky, .isRecurring:
            switch field.lowercased() {
            case "true", "1": return .bool(true)
            case "false", "0": return .bool(false)
            default: throw RecordProblem("`\(rawValue)` must be true or false")
            }
        case .extra:
            var parser = JSONParser(Array(field.utf8))
            guard let value = try? parser.value(), parser.peek() == nil else {
                throw RecordProblem("`extra` must be the JSON text of an object")
            }
            if let problem = parser.problem { throw problem }
            return value
        default:
            return .string(field)
        }
    }
}

extension String {
    /// Without blanks around it.
    fileprivate var trimmed: String {
        guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
        let start = utf8.firstIndex { $0 > 0x20 } ?? utf8.endIndex
        let end = utf8.lastIndex { $0 > 0x20 }.map(utf8.index(after:)) ?? start
        return String(self[start..<max(start, end)])
    }
}
