import Glibc

/// Runs one piece of work in a forked child and waits for what it has to say.
///
/// The child has the calling thread only, so the work must not use Swift's concurrency, nor a lock that another thread
/// may hold at that moment.
enum SecondProcess {
    static func run(timeLimitMilliseconds: Int32 = 60_000, _ body: () -> String) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CrashLabError.system(operation: "make a pipe", code: errno) }
        let child: Int32
        do {
            child = try DiskLog.fork()
        } catch {
            for end in ends { close(end) }
            throw error
        }
        if child == 0 {
            close(ends[0])
            let hasAnswered = send(Array(body().utf8), to: ends[1])
            // Without what the parent wants done at its own end.
            _exit(hasAnswered ? 0 : 1)
        }
        close(ends[1])
        let answer = receive(from: ends[0], timeLimitMilliseconds: timeLimitMilliseconds)
        close(ends[0])
        if answer == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard let answer else { throw CrashLabError.noAnswer("took longer than its time") }
        // What the macros of <sys/wait.h> say, which Swift does not import.
        let signal = status & 0x7F
        let code = status >> 8 & 0xFF
        guard signal == 0 else { throw CrashLabError.noAnswer("was ended by signal \(signal)") }
        guard code == 0 else { throw CrashLabError.noAnswer("ended with code \(code)") }
        return String(decoding: answer, as: UTF8.self)
    }

    private static func send(_ bytes: [UInt8], to pipe: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = write(pipe, Array(bytes[sent...]), bytes.count - sent)
            guard count > 0 || errno == EINTR else { return false }
            sent += max(0, count)
        }
        return true
    }

    /// Everything until the other end is closed; nil when nothing came for too long.
    private static func receive(from pipe: Int32, timeLimitMilliseconds: Int32) -> [UInt8]? {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var descriptor = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = poll(&descriptor, 1, timeLimitMilliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = read(pipe, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk.prefix(count)
        }
    }
}
