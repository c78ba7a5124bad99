import CDiskLog
import Foundation
import Injection
import KeyValue

/// The store that this process has open, and the commands on it.
final class Session {
    private var environment: Environment?
    private var table: Table?
    /// How many values `rewrite` has given the keys.
    private var generation = 0
    /// What `mix` left in the store under its own keys.
    private var mixed: [String: String] = [:]
    /// The fault to inject into stores that are opened from now on.
    private var injectionPoint: InjectionPoint?

    func run(_ command: String, _ words: [String]) async throws -> String {
        switch command {
        case "open":
            return try open(words[0], initial: 1 << 20, ceiling: 1 << 30)
        case "open-small":
            return try open(words[0], initial: Int(words[1])!, ceiling: Int(words[2])!)
        case "open-read-only":
            return try open(words[0], initial: 1 << 20, ceiling: 1 << 30, isReadOnly: true)
        case "open-logged":
            return try open(words[0], initial: 1 << 20, ceiling: 1 << 30, commitLog: .always(checkpointPages: 1_000))
        case "open-direct":
            return try open(words[0], initial: 1 << 20, ceiling: 1 << 30, commitLog: .never)
        case "close":
            environment?.close()
            environment = nil
            return "ok"
        case "set":
            return try await set(words[0], Array(words[1].utf8))
        case "put":
            return try await set(words[0], [UInt8](repeating: 0x61, count: Int(words[1])!))
        case "get":
            let (environment, table) = try opened()
            return try environment.read { try answer(words[0], in: table, $0) }
        case "count":
            let (environment, table) = try opened()
            return "\(try environment.read { try $0.entryCount(of: table) })"
        case "fill":
            return try await fill(from: Int(words[0])!, count: Int(words[1])!, size: Int(words[2])!)
        case "rewrite":
            return try await rewrite(count: Int(words[0])!, times: Int(words[1])!)
        case "mix":
            return try await mix(words[0], seed: UInt64(words[1])!, count: Int(words[2])!)
        case "check-mix":
            return try checkMix()
        case "read-mix":
            return try await readMix(count: Int(words[0])!)
        case "stream":
            return try await stream()
        case "compact":
            let bytes = try opened().0.compact()
            return bytes.bytesAfter <= bytes.bytesBefore ? "ok" : "grown"
        case "compact-forever":
            while true {
                _ = try opened().0.compact()
                reply("compacted")
            }
        case "hold":
            return try hold()
        case "write-stopped":
            return try writeStopped(words[0])
        case "reset-lock":
            return resetLock(words[0], to: words.count > 1 ? UInt64(words[1]) ?? 0 : 0)
        case "lock-on-thread":
            return lockOnThread(words[0])
        case "abandon-write":
            return try abandonWrite()
        case "scribble":
            return scribble(words[0])
        case "identify":
            return "\(getpid())"
        case "arm":
            injectionPoint = InjectionPoint(name: words[0])
            return injectionPoint == nil ? "unknown" : "ok"
        case "fork-idle":
            return forkIdle()
        case "claim":
            return try StoreClaim.take(of: words[0]) == nil ? "none" : "claimed"
        case "used":
            return "\(try opened().0.statistics.usedBytes)"
        case "limit-file-size":
            return limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), to: Int(words[0])!)
        case "limit-address-space":
            return limit(__rlimit_resource_t(RLIMIT_AS.rawValue), to: Int(words[0])!)
        case "record":
            return disk_log_begin(words[0]) == 0 ? "ok" : "refused"
        case "fail-flush":
            return fail(disk_log_flush_data, count: UInt64(words[0])!)
        case "fail-meta":
            // Only LMDB's meta pages are written through a descriptor that makes each write durable.
            return fail(disk_log_write, only: 1, count: UInt64(words[0])!)
        case "flushes":
            return "\(countFlushes())"
        case "read-damaged":
            var pages = try DamagedPages(in: words[0], leavingOut: PageChecks(rawValue: UInt16(words[3])!))
            return try pages.run(seed: UInt64(words[1])!, count: Int(words[2])!)
        case "write-damaged":
            var writes = try DamagedWrites(in: words[0], leavingOut: PageChecks(rawValue: UInt16(words[3])!))
            return try writes.run(seed: UInt64(words[1])!, count: Int(words[2])!)
        case "read-all":
            return try readAll(words[0])
        case "write-one":
            // LMDB may follow a loop where a check is left out.
            alarm(DamagedFile.patience)
            let leftOut = words.count > 1 ? PageChecks(rawValue: UInt16(words[1])!) : []
            _ = try open(words[0], initial: 1 << 20, ceiling: 1 << 30, leavingOut: leftOut)
            return try await set("written", [1])
        case "change":
            return try change(words[0], seed: UInt64(words[1])!)
        case "compare":
            do {
                let run = PageComparisonRun(
                    folder: words[0], seed: UInt64(words[1])!, isMisled: words.contains("misled"))
                return try run.run(Int(words[2])!)
            } catch let difference as PageComparison.Difference {
                return "different \(difference.text)"
            }
        default:
            return "unknown"
        }
    }

    private func opened() throws -> (Environment, Table) {
        guard let environment, let table else { throw KeyValueError.closed }
        return (environment, table)
    }

    private func open(
        _ path: String, initial: Int, ceiling: Int, isReadOnly: Bool = false, leavingOut checks: PageChecks = [],
        commitLog: CommitLogUse = .standard
    ) throws -> String {
        var configuration = EnvironmentConfiguration(
            initialMapSize: initial, mapSizeCeiling: ceiling, isReadOnly: isReadOnly)
        configuration.pageChecksLeftOut = checks
        configuration.commitLog = commitLog
        configuration.injectionPoint = ArmedInjectionPoints(injectionPoint)
        let environment = try Environment.open(
            at: path, configuration: configuration, creatingWith: NewStoreContent(tables: ["main"]))
        self.environment = environment
        table = try environment.openTables(["main"])[0]
        return "ok"
    }

    private func set(_ key: String, _ value: [UInt8]) async throws -> String {
        let (environment, table) = try opened()
        try await environment.write { try $0.put(Array(key.utf8).span.bytes, value.span.bytes, in: table) }
        return "ok"
    }

    /// Gives all keys the next value, in one transaction each time.
    private func rewrite(count: Int, times: Int) async throws -> String {
        let (environment, table) = try opened()
        for _ in 0..<times {
            generation += 1
            let value = [UInt8](repeating: UInt8(generation % 251), count: 400)
            try await environment.write { transaction in
                for number in 0..<count {
                    let key: [UInt8] = [UInt8(number / 256), UInt8(number % 256)]
                    try transaction.put(key.span.bytes, value.span.bytes, in: table)
                }
            }
        }
        return "ok"
    }

    private func fill(from: Int, count: Int, size: Int) async throws -> String {
        for number in from..<(from + count) { _ = try await set("k\(number)", [UInt8](repeating: 0x62, count: size)) }
        return "ok"
    }

    /// Puts, replaces, deletes, reads and takes numbers from a shared counter, determined by a seed. Returns the number
    /// of its entries and of the numbers that it took.
    private func mix(_ name: String, seed: UInt64, count: Int) async throws -> String {
        var state = seed
        func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var taken = 0
        for step in 0..<count {
            let known = mixed.keys.sorted()
            switch (below(10), known.isEmpty) {
            case (4, false), (0..<4, _):
                let key = step % 10 == 4 && !known.isEmpty ? known[below(known.count)] : "\(name)-\(step)"
                _ = try await set(key, Array("value \(step)".utf8))
                mixed[key] = "value \(step)"
            case (5, false):
                let key = known[below(known.count)]
                let (environment, table) = try opened()
                try await environment.write { _ = try $0.delete(Array(key.utf8).span.bytes, in: table) }
                mixed[key] = nil
            case (6, false), (7, false):
                let key = known[below(known.count)]
                guard try value(of: key) == mixed[key] else { return "wrong \(key)" }
            default:
                try await takeNumber()
                taken += 1
            }
        }
        return "ok \(mixed.count) \(taken)"
    }

    /// Takes the next number of a counter that several processes share; each number is taken once.
    private func takeNumber() async throws {
        let (environment, table) = try opened()
        try await environment.write { transaction in
            let counter = Array("numbers".utf8)
            let last = try transaction.reads.get(counter.span.bytes, in: table) { $0.copied } ?? []
            let next = (Int(String(decoding: last, as: UTF8.self)) ?? 0) + 1
            let number = Array("number \(next)".utf8)
            guard try !transaction.reads.contains(number.span.bytes, in: table) else {
                throw KeyValueError.system(operation: "take a number twice", code: 0)
            }
            try transaction.put(number.span.bytes, number.span.bytes, in: table)
            try transaction.put(counter.span.bytes, Array("\(next)".utf8).span.bytes, in: table)
        }
    }

    private func checkMix() throws -> String {
        for (key, expected) in mixed where try value(of: key) != expected { return "wrong \(key)" }
        return "ok"
    }

    /// Reads the shared counter, which never decreases, and is refused each tenth time, when it tries to write.
    private func readMix(count: Int) async throws -> String {
        var (last, refused) = (0, 0)
        for step in 0..<count {
            if step % 10 == 0 {
                do {
                    _ = try await set("refused", [1])
                } catch KeyValueError.readOnly {
                    refused += 1
                }
            } else {
                let now = try value(of: "numbers").flatMap { Int($0) } ?? 0
                guard now >= last else { return "wrong \(now)" }
                last = now
            }
        }
        return "ok \(refused) refused"
    }

    private func value(of key: String) throws -> String? {
        let (environment, table) = try opened()
        return try environment.read { transaction in
            try transaction.get(Array(key.utf8).span.bytes, in: table) { String(decoding: $0.copied, as: UTF8.self) }
        }
    }

    /// Writes without end, and prints each number as soon as its write is acknowledged.
    private func stream() async throws -> String {
        let (_, table) = try opened()
        var number = try opened().0.read { try $0.entryCount(of: table) }
        while true {
            _ = try await set("s\(number)", Array("value \(number)".utf8))
            reply("\(number)")
            number += 1
        }
    }

    /// Reads every entry of a store of `TestStore`, by walks and by look-ups, and counts what can be read.
    private func readAll(_ path: String) throws -> String {
        let environment = try Environment.open(at: path, configuration: EnvironmentConfiguration(isReadOnly: true))
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        var count = 0
        try environment.read { transaction in
            try? transaction.withCursor(over: table) { cursor in
                var isOnEntry = try cursor.moveToFirst()
                while isOnEntry {
                    try cursor.withEntry { key, value in count += key.byteCount > 0 && !value.copied.isEmpty ? 1 : 0 }
                    isOnEntry = try cursor.moveToNext()
                }
            }
            for number in 0..<400 {
                let key = Array("key \(number)".utf8)
                _ = try? transaction.get(key.span.bytes, in: table) { count += $0.copied.count > 0 ? 1 : 0 }
            }
        }
        return "read \(count)"
    }

    /// Makes random commits until a line comes.
    private func change(_ path: String, seed: UInt64) throws -> String {
        let environment = try RandomChanges.open(path)
        defer { environment.close() }
        let changes = try RandomChanges.Thread(environment, seed: seed)
        _ = readLine()
        return "commits \(changes.end())"
    }

    /// Stays inside one read until a line ends it.
    private func hold() throws -> String {
        let (environment, table) = try opened()
        return try environment.read { transaction in
            reply("holding")
            while let line = readLine() {
                let words = line.split(separator: " ").map(String.init)
                switch words.first {
                case "get": reply(try answer(words[1], in: table, transaction))
                case "nested-get":
                    do {
                        reply(try environment.read { try answer(words[1], in: table, $0) })
                    } catch {
                        reply("error \(name(of: error))")
                    }
                default: return "ok"
                }
            }
            return "ok"
        }
    }

    private func answer(_ key: String, in table: Table, _ reads: borrowing RawReadTransaction) throws -> String {
        let value = try reads.get(Array(key.utf8).span.bytes, in: table) { $0.copied }
        return value.map { $0.count > 100 ? "bytes \($0.count)" : "value \(String(decoding: $0, as: UTF8.self))" }
            ?? "none"
    }

    private func fail(_ kind: disk_log_kind, only: UInt32 = 0, count: UInt64) -> String {
        var fault = disk_log_fault(
            kind: kind.rawValue, effect: disk_log_fails.rawValue, first: 1, count: count, error: EIO, only: only)
        disk_log_set_fault(&fault)
        return "ok"
    }

    /// Gives LMDB's lock file a transaction number: 0 is what a program leaves if it dies while opening the store, one
    /// less than that of the data file what a commit leaves until it is complete. The number follows a magic number
    /// and a version, of 4 bytes each, and the readers' mutex.
    private func resetLock(_ path: String, to transaction: UInt64) -> String {
        let descriptor = Glibc.open("\(path)/lock.mdb", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return "no lock file" }
        defer { close(descriptor) }
        let offset = off_t(4 + 4 + MemoryLayout<pthread_mutex_t>.size)
        return pwrite(descriptor, [transaction], 8, offset) == 8 ? "ok" : "not written"
    }

    /// Takes a lock like LMDB's on a thread that then ends.
    private func lockOnThread(_ path: String) -> String {
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
            // Wrapped, since `fcntl` with a pointer is variadic.
            reply(lockf(descriptor, F_TLOCK, 1) == 0 ? "locked" : "refused")
            hasEnded.signal()
        }
        thread.start()
        hasEnded.wait()
        return "ok"
    }

    /// Stops this process inside a write transaction.
    private func writeStopped(_ key: String) throws -> String {
        let (environment, table) = try opened()
        try environment.write { transaction in
            reply("writing")
            raise(SIGSTOP)
            try transaction.put(Array(key.utf8).span.bytes, [UInt8(1)].span.bytes, in: table)
        }
        return "ok"
    }

    /// Ends the thread that holds the writers' mutex, in the middle of its transaction.
    private func abandonWrite() throws -> String {
        let (environment, _) = try opened()
        Thread {
            try? environment.write { _ in
                reply("holding")
                pthread_exit(nil)
            }
        }.start()
        while let line = readLine(), line != "release" {}
        return "ok"
    }

    /// Overwrites as many bytes as LMDB's meta page has, in one call and without end.
    private func scribble(_ path: String) -> String {
        let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC)
        reply("writing")
        var byte: UInt8 = 0
        while pwrite(descriptor, [UInt8](repeating: byte, count: 120), 120, 4096 + 32) == 120 { byte &+= 1 }
        return "not written"
    }

    private func countFlushes() -> Int {
        var count = 0
        var cursor: UInt64 = 0
        var entry = disk_log_entry()
        while disk_log_next(&cursor, &entry) { count += entry.kind == disk_log_flush_data.rawValue ? 1 : 0 }
        return count
    }

    private func limit(_ resource: __rlimit_resource_t, to size: Int) -> String {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = size < 0 ? limit.rlim_max : rlim_t(size)
        return setrlimit(resource, &limit) == 0 ? "ok" : "refused"
    }
}

func name(of error: any Error) -> String {
    switch error as? KeyValueError {
    case .storageFull(let detail): detail == "the disk" ? "diskFull" : "mapFull"
    case .readOnly: "readOnly"
    case .damaged: "damaged"
    case .writingStopped: "writingStopped"
    case .commitFailed: "commitFailed"
    case .commitUnknown: "commitUnknown"
    case .storeGrew: "storeGrew"
    case .storeCompacted: "storeCompacted"
    case .closed: "closed"
    case .staleLock: "staleLock"
    case .otherNamespace: "otherNamespace"
    case .lockHeld: "lockHeld"
    case .storeMoved: "storeMoved"
    case .permissionDenied: "permissionDenied"
    case .readOnlyFileSystem: "readOnlyFileSystem"
    default: "\(error)"
    }
}

/// `fork`, which Swift does not offer, since a child has only the calling thread.
@_silgen_name("fork") private func idleFork() -> pid_t

/// Leaves a child that sleeps for a minute at most.
private func forkIdle() -> String {
    var ends: [Int32] = [-1, -1]
    var byte: UInt8 = 1
    guard pipe(&ends) == 0 else { return "refused" }
    let child = idleFork()
    if child == 0 {
        // The threads of Swift's pool block signals. Whoever waits for the end of the tests' output must not wait for this child.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        alarm(60)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
        _ = write(ends[1], &byte, 1)
        while true { pause() }
    }
    // Returns when the child has finished what it does right after the fork.
    return child > 0 && read(ends[0], &byte, 1) == 1 ? "ok" : "refused"
}

/// Writes a line and flushes it, since the parent waits for it.
func reply(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
