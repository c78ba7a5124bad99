import FoundationEssentials
import HubCore

/// Which hub has a space.
public enum SpacePlace: Sendable, Hashable {
    /// This one.
    case here
    /// The one at this address.
    case elsewhere(String)
    /// None at the moment: it is being copied, and devices wait.
    case moving
}

/// How spaces are divided over several hubs, each with a database of its own: by the first two bytes of their ids, which are
/// random.
///
/// A text has one line for each range, `FIRST-LAST ADDRESS` in hexadecimal digits, and together they cover all spaces:
///
///     0000-7fff https://a.hub.example
///     8000-bfff https://b.hub.example
///     c000-ffff moving
///
/// Every hub has the same text.
public struct SpaceDirectory: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        let spaces: SpaceRange
        let place: SpacePlace
    }

    private let entries: [Entry]

    /// Reads a directory.
    ///
    /// - Parameter own: this hub's address, as the text has it.
    /// - Throws: `HubStartError`, which names the line.
    public init(_ text: String, own: String) throws(HubStartError) {
        guard Self.isAddress(own) else {
            throw HubStartError(
                description: "\(own) is no address of a hub. Give https://HOST, as the directory has it.")
        }
        var entries: [Entry] = []
        var next = 0
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
            let parts = line.split(whereSeparator: \.isWhitespace)
            if parts.isEmpty { continue }
            guard parts.count == 2, let spaces = SpaceRange(String(parts[0])) else {
                throw HubStartError(description: "Line \(number + 1) of the directory is not FIRST-LAST ADDRESS.")
            }
            guard spaces.first == next else {
                let expected = SpaceRange.text(next)
                throw HubStartError(description: "Line \(number + 1) of the directory does not begin with \(expected).")
            }
            let address = String(parts[1])
            let place: SpacePlace =
                if address == "moving" { .moving } else if address == own { .here } else { .elsewhere(address) }
            guard place == .moving || Self.isAddress(address) else {
                throw HubStartError(
                    description: "Line \(number + 1) of the directory has no address https://HOST without a path.")
            }
            entries.append(Entry(spaces: spaces, place: place))
            next = spaces.last + 1
        }
        guard next == SpaceRange.count else {
            throw HubStartError(description: "The directory ends before the spaces with \(SpaceRange.text(next)).")
        }
        guard entries.contains(where: { $0.place == .here || $0.place == .moving }) else {
            throw HubStartError(description: "No line of the directory has this hub's address \(own). Compare both.")
        }
        self.entries = entries
    }

    /// Whether devices follow an answer to an address.
    private static func isAddress(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.path.isEmpty,
            parts.user == nil, parts.query == nil, parts.fragment == nil
        else { return false }
        return parts.scheme == "https" || parts.scheme == "http" && HubSettings.isLoopback(host)
    }

    /// Where a space is.
    public func place(of space: UUID) -> SpacePlace {
        entries.first { $0.spaces.contains(space) }?.place ?? .moving
    }
}
