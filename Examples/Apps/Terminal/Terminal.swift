import Foundation
import Observation

/// Shows a text each time it changes, and hands over the lines that a person types, until the input ends.
@MainActor public func runInTerminal(
    _ screen: @escaping @MainActor @Sendable () -> String, _ enter: @MainActor (String) async -> Void
) async {
    let showing = Task { @MainActor in
        for await text in Observations({ screen() }) { print("\(text)\n") }
    }
    for await line in typedLines() where !line.isEmpty { await enter(line) }
    showing.cancel()
}

/// The lines of the standard input, read on a dedicated thread, since a person may take their time.
private func typedLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        Thread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }.start()
    }
}

/// The folder of a store: the first argument, else one in the user's data folder.
public func storeFolder(of application: String) -> String {
    if let given = CommandLine.arguments.dropFirst().first { return given }
    return NSHomeDirectory() + "/.local/share/daybook-examples/\(application)"
}
