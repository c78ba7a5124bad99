import Foundation
import Synchronization

/// A child process, with as much of the interface of Foundation's `Process` as tests need.
///
/// Foundation's own reads past the end of its buffer while it lists the open files (Swift 6.3), and ends the tests with a
/// segmentation fault: with more than some 1,300 of them, which is what hundreds of stores that are open at once have.
package final class SpawnedProcess: Sendable {
    package enum TerminationReason: Sendable { case exit, uncaughtSignal }

    private struct State {
        var executableURL: URL?
        var arguments: [String] = []
        var environment: [String: String]?
        var currentDirectoryURL: URL?
        /// Where the child's files 0, 1 and 2 lead; nil for those of the tests.
        var files: [Stream?] = [nil, nil, nil]
        var identifier: pid_t = 0
        var status: Int32?
    }

    /// A file or an end of a pipe.
    private enum Stream {
        case pipe(Pipe)
        case handle(FileHandle)
    }

    /// An error number of the system.
    package struct SpawnFailure: Error { package let code: Int32 }

    /// POSIX_SPAWN_SETSID, which the module of the C library does not have.
    private static let newSession: Int32 = 0x80

    private let state = Mutex(State())
    private let ended = DispatchGroup()

    package init() {}

    package var executableURL: URL? {
        get { state.withLock { $0.executableURL } }
        set { state.withLock { $0.executableURL = newValue } }
    }
    package var arguments: [String]? {
        get { state.withLock { $0.arguments } }
        set { state.withLock { $0.arguments = newValue ?? [] } }
    }
    package var environment: [String: String]? {
        get { state.withLock { $0.environment } }
        set { state.withLock { $0.environment = newValue } }
    }
    package var currentDirectoryURL: URL? {
        get { state.withLock { $0.currentDirectoryURL } }
        set { state.withLock { $0.currentDirectoryURL = newValue } }
    }
    package var standardInput: Any? {
        get { nil }
        set { set(newValue, 0) }
    }
    package var standardOutput: Any? {
        get { nil }
        set { set(newValue, 1) }
    }
    package var standardError: Any? {
        get { nil }
        set { set(newValue, 2) }
    }

    private func set(_ value: Any?, _ place: Int) {
        state.withLock { state in
            state.files[place] = (value as? Pipe).map(Stream.pipe) ?? (value as? FileHandle).map(Stream.handle)
        }
    }

    package var processIdentifier: pid_t { state.withLock { $0.identifier } }

    /// Starts the child, in a session of its own: one that asks for an answer would otherwise ask the person who runs the tests. It
    /// inherits no open file but the three.
    package func run() throws {
        try state.withLock { state in
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            var ends: [FileHandle] = []
            for (place, file) in state.files.enumerated() {
                let handle: FileHandle
                switch file {
                case nil: continue
                case .handle(let given): handle = given
                case .pipe(let pipe):
                    handle = place == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting
                    ends.append(handle)
                }
                posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(place))
            }
            if let folder = state.currentDirectoryURL { _ = addFolder(&actions, folder.path) }
            _ = addClosing(&actions, 3)
            // The threads of the tests block signals, and a child would inherit that.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | Self.newSession))
            let path = state.executableURL?.path ?? ""
            let environment = state.environment ?? ProcessInfo.processInfo.environment
            var arguments = ([path] + state.arguments).map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            let code = posix_spawn(&state.identifier, path, &actions, &attributes, &arguments, &variables)
            guard code == 0 else { throw SpawnFailure(code: code) }
            wait(for: state.identifier)
            // Only the child has the other ends now, so that reading ends when it ends.
            for end in ends { try end.close() }
        }
    }

    package var isRunning: Bool { state.withLock { $0.identifier != 0 && $0.status == nil } }

    package func waitUntilExit() { ended.wait() }

    /// The exit code, or the number of the signal that ended the child.
    package var terminationStatus: Int32 {
        let status = endStatus
        return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
    }

    package var terminationReason: TerminationReason { endStatus & 0x7F == 0 ? .exit : .uncaughtSignal }

    package func terminate() { kill(processIdentifier, SIGTERM) }

    private var endStatus: Int32 {
        waitUntilExit()
        return state.withLock { $0.status ?? 0 }
    }

    /// Takes the child's status as soon as it has ended, whenever the test asks for it: while a child that has ended is there, the
    /// thread on which Swift Testing waits for its exit tests finds it again and again, and takes a tenth of the tests' time.
    private func wait(for identifier: pid_t) {
        ended.enter()
        Thread.detachNewThread { [self] in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
            state.withLock { $0.status = status }
            ended.leave()
        }
    }
}

// Part of glibc since 2.29 and 2.34, and not of Swift's module of it.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addFolder(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ folder: UnsafePointer<CChar>
) -> Int32

@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func addClosing(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
