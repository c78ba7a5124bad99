import CommandSupport
import Daybook
import ProgramCrashes

/// A replayed image, as text and as JSON.
struct ReplayedImageTable {
    let result: ReplayedImage

    func text(into target: String?) -> String {
        var text = "The calls until the crash:\n"
        for call in result.example.calls { text += "  \(VisibleText.of(call))\n" }
        if !result.example.lost.isEmpty { text += "Not on the disk:\n" }
        for words in result.example.lost { text += "  \(VisibleText.of(words))\n" }
        if !result.example.detail.isEmpty { text += "On the disk:\n  \(VisibleText.of(result.example.detail))\n" }
        switch result.isBroken {
        case true: text += "BROKEN: \(VisibleText.of("\(result.example.kind): \(result.example.text)"))\n"
        case false: text += "OK: the check accepts the image\n"
        default: text += "The image is in \(target ?? "").\n"
        }
        return text
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let isBroken = result.isBroken { writer.field("broken", isBroken) }
            writer.object("example") { writer in
                writer.field("kind", result.example.kind)
                writer.field("text", result.example.text)
                writer.field("after", result.example.after)
                writer.field("acknowledged", result.example.acknowledged)
                writer.field("lost", result.example.lost)
                writer.field("calls", result.example.calls)
                writer.field("image", result.example.reproducer)
            }
        }
    }
}
