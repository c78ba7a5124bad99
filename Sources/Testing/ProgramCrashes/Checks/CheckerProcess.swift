import CProgramTrace
import FileSystem
import SystemErrors

/// How a check of an image ended.
enum CheckOutcome: Equatable, Sendable {
    case kept
    /// A promise is broken, with the kind that the check has named.
    case broken(kind: String, text: String)
    /// The check says nothing about the program.
    case untestable(String)

    /// - Parameter ending: an exit code, the negative number of a signal, or one of the codes of the C target.
    init(ending: Int, output: String) {
        let line = output.split(separator: "\n").first.map(String.init) ?? ""
        switch ending {
        case 0: self = .kept
        case 1:
            let colon = line.firstIndex(of: ":")
            if let colon, colon > line.startIndex, line.distance(from: line.startIndex, to: colon) < 30 {
                let text = line[line.index(after: colon)...].drop { $0 == " " }
                self = .broken(kind: String(line[..<colon]), text: String(text))
            } else {
                self = .broken(kind: "broken", text: line)
            }
        case ..<0: self = .broken(kind: "check ended by signal \(-ending)", text: line)
        case Int(program_check_timed_out): self = .broken(kind: "check timed out", text: line)
        case Int(program_check_not_run): self = .untestable("it could not be run")
        default: self = .untestable("it ended with exit code \(ending)\(line.isEmpty ? "" : ": \(line)")")
        }
    }

    var isBroken: Bool {
        if case .broken = self { true } else { false }
    }
}

/// A process that runs a check on one image after the other, in a folder that only it sees.
final class CheckerProcess {
    private var checker: program_checker
    private(set) var isBusy = false

    /// - Parameter hasNamespace: whether the images are in a file system in memory, mounted for this process alone. Throws the
    ///   system's error where it does not permit that.
    init(folder: String, command: String, hasNamespace: Bool, seconds: Int = 20) throws(SystemCondition) {
        var checker = program_checker()
        let code = program_checker_start(&checker, folder, command, hasNamespace, Int32(seconds))
        if code != 0 { throw SystemCondition(code) }
        self.checker = checker
    }

    deinit { program_checker_stop(&checker) }

    /// Begins to check an image; ``answer()`` returns the outcome.
    func send(_ image: [UInt8], acknowledged: [UInt8]) throws(ProgramCrashError) {
        var header: [UInt8] = []
        for length in [image.count, acknowledged.count] {
            for shift in 0..<8 { header.append(UInt8(truncatingIfNeeded: length >> (8 * shift))) }
        }
        do throws(SystemCondition) {
            try FileDescriptor(checker.requests).write(header + image + acknowledged)
        } catch {
            throw .system(operation: "send an image to a checker", code: error.code)
        }
        isBusy = true
    }

    /// Waits for the outcome of the check.
    func answer() throws(ProgramCrashError) -> CheckOutcome {
        isBusy = false
        let header = try read(8)
        let numbers = [0, 4].map { start in
            Int(Int32(truncatingIfNeeded: (0..<4).reduce(0) { $0 | Int(header[start + $1]) << (8 * $1) }))
        }
        return CheckOutcome(ending: numbers[0], output: String(decoding: try read(numbers[1]), as: UTF8.self))
    }

    private func read(_ count: Int) throws(ProgramCrashError) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            var part = [UInt8](repeating: 0, count: count - result.count)
            var read = 0
            var code: Int32 = 0
            do throws(SystemCondition) {
                read = try FileDescriptor(checker.answers).read(into: &part)
            } catch {
                code = error.code
            }
            guard read > 0 else { throw .system(operation: "read from a checker", code: code) }
            result += part[..<read]
        }
        return result
    }

    /// Makes a folder hold exactly an image, without a checker.
    static func fill(_ folder: String, with image: [UInt8]) throws(ProgramCrashError) {
        let code = program_checker_fill(folder, image, image.count)
        if code != 0 { throw .system(operation: "write an image to \(folder)", code: code) }
    }

    /// Removes everything in a folder.
    static func clear(_ folder: String) throws(ProgramCrashError) {
        let code = program_checker_clear(folder)
        if code != 0 { throw .system(operation: "empty \(folder)", code: code) }
    }
}
