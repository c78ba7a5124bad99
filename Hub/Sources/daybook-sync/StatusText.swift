import Daybook
import DaybookHubSync
import FoundationEssentials
import Sync

/// The state of sync in words and as JSON.
enum StatusText {
    /// What a stored code means, in a sentence.
    private static func message(_ code: String) -> String {
        switch code {
        case "unavailable": "The hub could not be reached. Nothing is lost."
        case "busy": "The hub was busy. Nothing is lost."
        case "full": "The space has no room left at the hub. Nothing here is lost."
        case "malformed", "tooLarge": "The hub could not take a change. It is kept here; the others go on."
        case "contradiction":
            "The hub says that it has something newer than a change of this device, and does not send it. The change is kept and sent again."
        default: NextCommand.heldText(code)
        }
    }

    private static func next(_ status: ReplicaStatus) -> String {
        if let held = status.held { return NextCommand.heldText(held) }
        if status.pending > 0 { return "The next `daybook sync` sends \(status.pending)." }
        return status.lastError == nil ? "Nothing is left to do." : "The next `daybook sync` tries again."
    }

    static func lines(_ status: ReplicaStatus, _ identity: SpaceIdentity) -> String {
        var lines = [
            "Hub           \(identity.hub)",
            "Space         \(status.space.uuidString.lowercased())",
            "Device        \(status.device)",
            "Last success  \(status.lastSuccess.map { "\($0)" } ?? "never")",
            "To be sent    \(status.pending)",
        ]
        if status.parked > 0 {
            lines.append(
                "Not sent      \(status.parked)  (more than 512 KiB each; other devices keep the former value)")
        }
        if let error = status.lastError { lines.append("Last error    \(error)") }
        if status.conflicts > 0 { lines.append("Conflicts     \(status.conflicts)  (daybook sync conflicts)") }
        lines.append("Journals      \(status.hasJournals ? "take part" : "stay on this device")")
        lines.append("Same as hub   \(digest(status))")
        lines.append("Next          \(next(status))")
        return lines.joined(separator: "\n")
    }

    private static func digest(_ status: ReplicaStatus) -> String {
        switch status.digest {
        case .same: "same"
        case .different: "different"
        case .unknown: "unknown"
        }
    }

    private struct Document: Encodable {
        struct Failure: Encodable {
            let code: String
            let message: String
        }
        let space: String
        let device: String
        let hub: String
        let lastSuccess: String?
        let pending: Int
        let lastError: Failure?
        let next: String
        let digest: String
        let conflicts: Int
        let held: String?
        let journals: Bool
        let parked: Int

        // The keys are always there, with null for nothing.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(space, forKey: .space)
            try container.encode(device, forKey: .device)
            try container.encode(hub, forKey: .hub)
            try container.encode(lastSuccess, forKey: .lastSuccess)
            try container.encode(pending, forKey: .pending)
            try container.encode(lastError, forKey: .lastError)
            try container.encode(next, forKey: .next)
            try container.encode(digest, forKey: .digest)
            try container.encode(conflicts, forKey: .conflicts)
            try container.encode(held, forKey: .held)
            try container.encode(journals, forKey: .journals)
            try container.encode(parked, forKey: .parked)
        }

        enum Key: CodingKey {
            case space, device, hub, lastSuccess, pending, lastError, next, digest, conflicts, held, journals, parked
        }
    }

    static func json(_ status: ReplicaStatus, _ identity: SpaceIdentity) -> String {
        let document = Document(
            space: status.space.uuidString.lowercased(), device: "\(status.device)", hub: identity.hub,
            lastSuccess: status.lastSuccess.map { "\($0)" }, pending: status.pending,
            lastError: status.lastError.map { .init(code: $0, message: message($0)) }, next: next(status),
            digest: digest(status), conflicts: status.conflicts, held: status.held, journals: status.hasJournals,
            parked: status.parked)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
