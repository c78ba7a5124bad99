import Glibc
import Synchronization

/// Whether someone has asked the program to end: it then ends its children and clears its folder away first.
enum Interruption {
    private static let isAsked = Atomic<Bool>(false)

    static var hasCome: Bool { isAsked.load(ordering: .relaxed) }

    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.isAsked.store(true, ordering: .relaxed) }
        }
    }
}
