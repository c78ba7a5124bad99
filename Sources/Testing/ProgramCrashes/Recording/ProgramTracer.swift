import CProgramTrace
import SystemErrors

/// Runs commands in a folder, and records what they do to it.
///
/// This and ``CheckerProcess`` are the only code that calls the C target.
struct ProgramTracer {
    let folder: String
    /// Where recordings are written.
    let report: String
    var acknowledgmentDescriptor: Int32 = 1
    var seconds = 600
    var callLimit = 20_000
    var byteLimit = 256 << 20
    /// Draws the order of the calls that processes make at the same time; 0 for the order in which they come.
    var interleaving: UInt64 = 0
    /// Throws when the test is interrupted.
    let checkpoint: () throws -> Void

    static var isSupported: Bool { program_trace_is_supported() }

    /// Runs a command without recording; returns how it ended if that was not with success.
    func run(_ command: String, name: String) throws -> String? {
        let status = try wait(start(command, name: name, isTraced: false))
        return Self.failure(status)
    }

    /// Runs a command and records it.
    ///
    /// - Parameter input: a file that is its standard input; nil for none.
    func record(_ command: String, name: String, input: String? = nil, names: NameTable) throws -> ProgramRecording {
        guard Self.isSupported else { throw ProgramCrashError.unsupported }
        let status = try wait(start(command, name: name, isTraced: true, input: input))
        guard status == 0, let recording = try ProgramRecording(folder: report, names: names, name: name) else {
            throw ProgramCrashError.incomplete("the log, since the recorder ended early (\(status))")
        }
        if !recording.refusal.isEmpty { throw ProgramCrashError.refused(recording.refusal) }
        return recording
    }

    /// How a command ended in words; nil if it succeeded.
    static func failure(_ status: Int) -> String? {
        status == 0 ? nil : status < 0 ? "was ended by signal \(-status)" : "failed with exit code \(status)"
    }

    private func start(_ command: String, name: String, isTraced: Bool, input: String? = nil) throws -> pid_t {
        let path = "\(report)/\(name)"
        let process = folder.withCString { folder in
            command.withCString { command in
                "\(path).log".withCString { log in
                    "\(path).data".withCString { data in
                        "\(path).acknowledged".withCString { acknowledgments in
                            "\(path).errors".withCString { errors in
                                (input ?? "/dev/null").withCString { input in
                                    var options = program_trace_options(
                                        folder: folder, command: command, is_traced: isTraced, log: log, data: data,
                                        acknowledgments: acknowledgments,
                                        acknowledgment_descriptor: acknowledgmentDescriptor, input: input,
                                        errors: errors, call_limit: UInt64(callLimit), byte_limit: UInt64(byteLimit),
                                        seconds: Int32(seconds), order: interleaving)
                                    return program_trace_start(&options)
                                }
                            }
                        }
                    }
                }
            }
        }
        guard process > 0 else {
            throw ProgramCrashError.system(operation: "start a process", code: SystemCondition.last.code)
        }
        return process
    }

    private func wait(_ process: pid_t) throws -> Int {
        var status: Int32 = 0
        while !program_trace_wait(process, 50, &status) {
            do {
                try checkpoint()
            } catch {
                program_trace_stop(process)
                throw error
            }
        }
        return Int(status)
    }
}
