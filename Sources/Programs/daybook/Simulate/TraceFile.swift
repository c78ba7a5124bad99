import Daybook
import Simulation

/// A file of what happened in stories: for each a line that names it, then a line an event.
final class TraceFile {
    private let file: AtomicFile

    init(_ path: String) throws {
        file = try AtomicFile(path: path, overwrite: true)
    }

    func add(_ story: Story) throws {
        try add(Self.bytes(of: story))
    }

    func add(_ bytes: [UInt8]) throws {
        try file.write(bytes)
    }

    /// Puts the file in its place.
    func end() throws {
        try file.commit()
    }

    static func bytes(of story: Story) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("story", story.scenario.name)
            if let file = story.scenario.file { writer.field("file", file) }
            writer.field("starts", story.scenario.start.description)
            writer.field("zone", story.scenario.zone)
            writer.field("seed", Int(clamping: story.scenario.seed))
            writer.field("events", story.events.count)
            writer.field("ok", story.isGood)
            writer.field("digest", story.digest.hexadecimal)
        }
        writer.newline()
        return writer.bytes + Array(story.events.map { TraceLine($0).text + "\n" }.joined().utf8)
    }
}
