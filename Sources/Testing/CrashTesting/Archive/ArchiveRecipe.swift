import ByteStreams
import Injection

/// A crash of an operation on files, or a call of it that fails: one line of text replays exactly it.
enum ArchiveRecipe: Sendable {
    /// The crash comes at this entry of the recording, while the call is under way or after it has returned.
    case crash(ArchiveOperation, InjectionPoint?, point: Int, CrashMoment, ImageRecipe)
    case fault(ArchiveOperation, DiskFault)

    /// `archive|export|17+|keep=0-3`, `archive|export!skipsFileFlush|17+|keep=none`,
    /// `archive|export|write.fails.28.any.1|3`: the last number is the call that is struck first.
    var text: String {
        switch self {
        case .crash(let operation, let sabotage, let point, let moment, let image):
            let broken = sabotage.map { "!\($0.rawValue)" } ?? ""
            return "archive|\(operation.name)\(broken)|\(point)\(moment.rawValue)|\(image)"
        case .fault(let operation, let fault):
            return "archive|\(operation.name)|\(fault.text)|\(fault.first)"
        }
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "archive" else { return nil }
        let names = parts[1].split(separator: "!", maxSplits: 1)
        guard let name = names.first, let operation = ArchiveOperation.named(name) else { return nil }
        var sabotage: InjectionPoint?
        if names.count == 2 {
            guard let named = InjectionPoint(named: names[1], among: InjectionPoint.ofFiles) else { return nil }
            sabotage = named
        }
        if let sign = parts[2].last, let moment = CrashMoment(rawValue: String(sign)),
            let point = Int(parts[2].dropLast()), point >= 0, let image = ImageRecipe(String(parts[3]))
        {
            self = .crash(operation, sabotage, point: point, moment, image)
        } else if sabotage == nil, var fault = DiskFault(kindText: parts[2]), let first = Int(parts[3]), first > 0 {
            fault.first = first
            self = .fault(operation, fault)
        } else {
            return nil
        }
        guard self.text == text else { return nil }
    }
}
