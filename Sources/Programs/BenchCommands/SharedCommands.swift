import ArgumentParser
import CommandSupport
import LabSupport

/// The commands that both of the lab's programs have.
package enum SharedCommands {
    package static var generate: any ParsableCommand.Type { Generate.self }
    package static var bench: any ParsableCommand.Type { Bench.self }
    package static var startTimes: any ParsableCommand.Type { StartTimes.self }
    package static var measure: any ParsableCommand.Type { Measure.self }
}

extension ScratchFull: ExitCodeError {
    package var exitCode: ProgramExit { .unusable }
}
