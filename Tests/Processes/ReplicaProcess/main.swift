// A program that syncs a store, for the tests of Sync: the hub is whoever started it. It is controlled by lines of text. Not part of
// any product. Its arguments are the folder of the store, a seed for ids, and optionally a rule that it breaks.
//
//     change MICROSECONDS     creates a task: "done ID"
//     sync MICROSECONDS       syncs until nothing is left: "ended settled". Asks meanwhile, in hexadecimal digits:
//                             "sync REQUEST" and "records REQUEST", answered by "answer ANSWER" or "refusal CODE"
//     status                  "PENDING DIGEST FULLPULLS"

import CivilTime
import DeviceSimulation
import Foundation
import Injection
import Records
import Sync
import Tasks

let clock = SettableClock(try Instant("2026-02-11T10:00:00Z"))
let schema = SyncSchema()
let context = Context(
    clock: clock, random: SeededRandomSource(seed: UInt64(CommandLine.arguments[2]) ?? 0),
    zones: SettableZone(try Zone("Europe/Berlin")), weekStart: .monday)
var options = StoreOptions()
options.injectionPoint = ArmedInjectionPoints(
    CommandLine.arguments.dropFirst(3).first.flatMap { InjectionPoint(name: $0) })
let store = try RecordStore(
    at: CommandLine.arguments[1], schema: TaskList.schema.adding(schema.schema), context: context, options: options)
let replica = SyncReplica(of: store, schema, sealing: PlainSealing())
say("open")
while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    if words.count > 1 { clock.setWall(Instant(microsecondsSince1970: Int64(words[1]) ?? 0)) }
    switch words.first {
    case "change":
        let task = try store.write(TaskOperation.create.label) { try $0.tasks.create("Milk") }
        say("done \(task.id.uuidString)")
    case "sync": say("ended \(try await SyncLoop(replica, over: AskingTransport()).run())")
    case "status":
        let status = try replica.status()
        say("\(status.pending) \(status.digest) \(status.fullPulls)")
    default: exit(1)
    }
}

/// Asks whoever has started this program.
struct AskingTransport: SyncTransport {
    func sync(_ request: SyncRequest) async throws(SyncRefusal) -> SyncAnswer {
        let bytes = try ask("sync", request.encoded)
        guard let answer = try? SyncAnswer(decoding: bytes) else { throw .malformed }
        return answer
    }

    func records(_ request: RecordsRequest) async throws(SyncRefusal) -> RecordsAnswer {
        let bytes = try ask("records", request.encoded)
        guard let answer = try? RecordsAnswer(decoding: bytes) else { throw .malformed }
        return answer
    }

    func watch(after sequence: Int64) async throws(SyncRefusal) -> Int64 { sequence }

    private func ask(_ name: String, _ bytes: [UInt8]) throws(SyncRefusal) -> [UInt8] {
        say("\(name) \(bytes.hexadecimal)")
        let words = (readLine() ?? "").split(separator: " ").map(String.init)
        switch words.first {
        case "answer" where words.count == 2: return [UInt8](hexadecimal: words[1])
        case "refusal" where words.last == "forked": throw .forked
        default: throw .unavailable
        }
    }
}

extension [UInt8] {
    var hexadecimal: String { map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined() }

    init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// Writes a line at once.
func say(_ line: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
        exit(1)
    }
}
