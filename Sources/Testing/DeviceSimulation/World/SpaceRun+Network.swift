import FoundationEssentials
import Sync

/// The network, and the processes of the hub.
extension SpaceRun {
    func isReachable(_ device: SimulatedDevice) -> Bool { !unreachable.contains(device.place) }

    func isLost() -> Bool { !isCalm && dice.chance(traits.loss) }

    /// The time that a message takes.
    func delay() -> Int64 {
        let slow = traits.has(.slowNetwork) && !isCalm && dice.chance(10) ? 20 : 1
        return Int64(1 + dice.below(traits.delay * slow))
    }

    /// The hub process that a program talks to.
    func place(of program: Program) -> Int { program.number % traits.hubProcesses }

    /// Sends a question on its way.
    func send(_ question: DeviceQuestion, from program: Program) {
        nextMessage += 1
        let message = nextMessage
        program.message = message
        // As its token says, however late it comes.
        let device = program.device.number
        guard isReachable(program.device) else {
            return after(1_000_000) { [unowned self] in
                try await deliver(.refusal(.unavailable), as: message, to: program)
            }
        }
        // A client gives up after a while.
        after(10_000_000, unless: { program.message != message }) { [unowned self] in
            try await deliver(.refusal(.unavailable), as: message, to: program)
        }
        if isLost() || script.loses(.requests, of: program.device.place) {
            return count("request lost", in: "network")
        }
        after(delay()) { [unowned self] in try await arrive(question, message, of: device, from: program) }
        if !isCalm, dice.chance(traits.repetition) {
            count("request repeated", in: "network")
            after(delay() * Int64(1 + dice.below(8))) { [unowned self] in
                if program.message != message { count("late request", in: "network") }
                try await arrive(question, nil, of: device, from: program)
            }
        }
    }

    /// Gives a program what it waits for, unless it waits for something else by now.
    private func deliver(_ reply: DeviceReply, as message: Int, to program: Program) async throws {
        guard program.message == message, let turns = program.turns else { return }
        program.message = nil
        try await follow(program, turns, await turns.reply(reply))
    }

    private func arrive(
        _ question: DeviceQuestion, _ message: Int?, of device: UInt64, from program: Program
    ) async throws {
        guard isReachable(program.device) else { return }
        let place = place(of: program)
        guard !stopped.contains(place) else { return respond(.refusal(.unavailable), message, to: program) }
        if let refusal = script.refusal(of: program.device.place) ?? refusal(of: question) {
            note("the hub refuses device \(device): \(refusal)")
            return respond(.refusal(refusal), message, to: program)
        }
        nextMessage += 1
        let call = RunningCall(nextMessage, place, question, from: program.device.place, at: now + hubOffsets[place])
        calls[call.number] = call
        let (hub, turns) = (hub, call.turns)
        let context = HubCall(
            device: device, time: call.time, number: call.number,
            statement: { await turns.ask($0) })
        try await follow(
            call, message, program,
            await turns.start {
                do {
                    switch question {
                    case .sync(let request):
                        // As bytes, so that each run checks the encoding as well.
                        guard let request = try? SyncRequest(decoding: request.encoded) else {
                            return .failure(.malformed)
                        }
                        let answer = try await hub.sync(request, in: context)
                        guard let read = try? SyncAnswer(decoding: answer.encoded), read == answer else {
                            return .failure(.malformed)
                        }
                        return .success(.answer(answer))
                    case .records(let request): return .success(.records(try await hub.records(request, in: context)))
                    }
                } catch let refusal as SyncRefusal {
                    return .failure(refusal)
                }
            })
    }

    private func follow(
        _ call: RunningCall, _ message: Int?, _ program: Program, _ event: HubTurns.Event
    ) async throws {
        switch event {
        case .asks(let statement):
            after(Int64(100 + dice.below(4000)) + script.delay(of: statement, for: call.device)) { [unowned self] in
                let fault = fault(of: statement, in: call)
                let commits = statement == .commit && (fault == nil || fault == .unknownButDone)
                if commits { accept(call) }
                let event = await call.turns.reply(fault)
                if commits { try await announce(from: call.hub) }
                try await follow(call, message, program, event)
            }
        case .ended(.failure(let error)): throw error
        case .ended(.success(let result)):
            calls[call.number] = nil
            switch result {
            case .success(let reply):
                if case .answer(let answer) = reply {
                    if answer.next < answer.head { count("page split", in: "hub") }
                    if !call.isCommitted, !answer.results.isEmpty {
                        accept(call)
                        try await announce(from: call.hub)
                    }
                }
                respond(reply, message, to: program)
            case .failure(let refusal):
                count(refusal.code, in: "refusals")
                respond(.refusal(refusal), message, to: program)
            }
        }
    }

    private func respond(_ reply: DeviceReply, _ message: Int?, to program: Program) {
        guard let message else { return }
        if isLost() || script.loses(.answers, of: program.device.place) {
            return count("answer lost", in: "network")
        }
        after(delay()) { [unowned self] in
            guard isReachable(program.device) else { return count("answer lost", in: "network") }
            try await deliver(reply, as: message, to: program)
        }
    }

    /// Notes that a hub has kept the units of a push, and checks that it may.
    private func accept(_ call: RunningCall) {
        call.isCommitted = true
        guard case .sync(let request) = call.question else { return }
        for unit in request.units {
            fold.add(unit)
            guard let stamp = MergeKey(unit.key)?.stamp else { continue }
            if stamp.milliseconds * 1000 > call.time + SyncProtocol.clockTolerance {
                note(problem: "the hub accepted a stamp that is \(stamp.milliseconds * 1000 - call.time) µs ahead")
            }
        }
    }

    // MARK: Faults

    private func fault(of statement: HubStatement, in call: RunningCall) -> StatementFault? {
        if call.isDoomed { return .unknownAndUndone }
        if let fault = script.fault(of: statement) { return fault }
        if isCalm { return nil }
        let value = dice.below(100)
        if value < traits.conflicts {
            count("40001", in: "hub")
            count("40001 at \(statement.rawValue)", in: "hub")
            return .serialization
        }
        guard value < traits.conflicts + traits.unknown else { return nil }
        if statement == .commit, dice.chance(50) {
            count("40003, done", in: "hub")
            return .unknownButDone
        }
        count("40003, not done", in: "hub")
        return .unknownAndUndone
    }

    private func refusal(of question: DeviceQuestion) -> SyncRefusal? {
        guard !isCalm, dice.chance(traits.refusals) else { return nil }
        let refusal = dice.pick(
            [
                .unavailable, .unavailable, .busy(retryAfter: dice.below(20)), .tooLarge, .upgradeRequired, .full,
                .unauthorized, .forbidden, .unknownSpace,
            ] as [SyncRefusal])
        // No hub refuses a single unit because there is too much of it.
        if refusal == .tooLarge, case .sync(let request) = question, request.units.count < 2 { return nil }
        count(refusal.code, in: "refusals")
        return refusal
    }

    /// Lets a process of the hub die, with all that it is doing.
    func stopHub(_ place: Int) {
        stopped.insert(place)
        for call in calls.values where call.hub == place { call.isDoomed = true }
        for (number, watcher) in watchers.sorted(by: { $0.key < $1.key }) where watcher.hub == place {
            watchers[number] = nil
            if let program = programs.first(where: { $0.number == number }) {
                renew(program, watcher.number, after: 5_000_000)
            }
        }
    }

    /// Takes a device from the network, or back.
    func setReachable(_ device: SimulatedDevice, _ isReachable: Bool) {
        if isReachable {
            unreachable.remove(device.place)
            return
        }
        unreachable.insert(device.place)
        for program in programs(of: device) {
            guard let watcher = watchers.removeValue(forKey: program.number) else { continue }
            // Nobody says that a connection is gone.
            renew(program, watcher.number, after: 25_000_000)
        }
    }
}
