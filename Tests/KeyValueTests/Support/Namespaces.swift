#if os(Linux)
    import Foundation
    import TestSupport

    /// Starts processes in PID namespaces, as containers do.
    enum Namespaces {
        /// Starts a program as process 1 of a PID namespace with a `/proc` of its own; nil where the system permits none.
        static let wrapper: [String]? = {
            let base = ["/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
            // Without privileges, only inside a user namespace.
            for wrapper in [base, base + ["--map-root-user"]] where succeeds(wrapper + ["/bin/true"]) { return wrapper }
            print("This system permits no PID namespaces (unshare --pid): tests of containers are skipped.")
            return nil
        }()

        /// The same, where it cannot look up its namespace. Only that part of `/proc` is hidden: without all of it, Swift's runtime ends
        /// one process in ten by SIGILL (Swift 6.3.1).
        static let wrapperWithoutNamespace: [String]? = wrapper.map {
            $0 + ["/bin/sh", "-c", "mount -t tmpfs none /proc/$$/ns && exec \"$0\" \"$@\""]
        }

        static var areAvailable: Bool { wrapper != nil }

        private static func succeeds(_ command: [String]) -> Bool {
            let process = SpawnedProcess()
            process.executableURL = URL(fileURLWithPath: command[0])
            process.arguments = Array(command.dropFirst())
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }
#endif
