import Records
import Sync

/// What the programs of devices do.
extension SpaceRun {
    /// Starts a program for a process of a device.
    func start(_ process: DeviceProcess, of device: SimulatedDevice) async throws {
        nextProgram += 1
        let program = Program(nextProgram, device, process)
        programs.append(program)
        watch(program)
        try await inform(program)
    }

    /// Ends the programs of a device, without any more of what they were doing. Its store is closed already, or will be.
    func end(_ ended: [Program]) async {
        programs.removeAll { program in ended.contains { $0 === program } }
        for program in ended {
            program.isOpen = false
            program.watch += 1
            watchers[program.number] = nil
            guard let turns = program.turns else { continue }
            program.turns = nil
            // Nobody waits for its answer any more, nor for the end of its patience.
            program.message = nil
            var event = await turns.reply(.refusal(.unavailable))
            while case .asks = event { event = await turns.reply(.refusal(.unavailable)) }
        }
    }

    func programs(of device: SimulatedDevice) -> [Program] { programs.filter { $0.device === device } }

    /// Tells a program that something has changed.
    func inform(_ program: Program) async throws {
        guard program.isOpen else { return }
        guard program.turns == nil, !program.isWaiting else {
            program.hasNews = true
            return
        }
        program.hasNews = false
        let turns = DeviceTurns()
        program.turns = turns
        let replica = program.process.replica
        try await follow(
            program, turns,
            await turns.start { try await SyncLoop(replica, over: SimulatedTransport(turns: turns)).run() })
    }

    func follow(_ program: Program, _ turns: DeviceTurns, _ event: DeviceTurns.Event) async throws {
        if case .ended = event {
            program.turns = nil
            program.message = nil
        }
        // Who died in a transaction has sent nothing after it.
        if try await springTraps(of: program.process) { return }
        switch event {
        case .asks(let question):
            if case .sync(let request) = question, request.after == 0 { try await checkRepair(of: program.device) }
            send(question, from: program)
        case .ended(let result): if program.isOpen { try await finish(program, result) }
        }
    }

    private func finish(_ program: Program, _ result: Result<SyncLoop.Ending, any Error>) async throws {
        program.lastRefusal = nil
        switch result {
        case .success(.settled): break
        case .success(.held):
            if try await decide(program) { return }
        case .success(.failed(let refusal)):
            program.lastRefusal = refusal
            if refusal != .unavailable { wasRefused = true }
            let failures = try program.process.replica.status().failures
            note("device \(program.device.place) waits after failure \(failures): \(refusal.code)")
            wait(
                program,
                SyncBackoff.delay(after: refusal, failures: failures, random: program.device.context.random))
            return
        case .failure(let error):
            if program.device.isFull, error.isStorageFull {
                count("write on a full disk refused", in: "devices")
            } else {
                note(problem: "device \(program.device.number): sync failed: \(error)")
            }
            wait(program, 5_000_000)
            return
        }
        if program.hasNews { try await inform(program) }
    }

    private func wait(_ program: Program, _ microseconds: Int64) {
        program.isWaiting = true
        after(microseconds, unless: { !program.isOpen }) { [unowned self] in
            program.isWaiting = false
            try await inform(program)
        }
    }

    /// Does what a person does about a device that is held. Returns whether the program waits now.
    private func decide(_ program: Program) async throws -> Bool {
        let replica = program.process.replica
        switch try replica.status().held {
        case "clock":
            count("held by its clock", in: "devices")
            return false
        case "forked":
            nextDevice += 1
            do {
                try await replica.adopt(device: nextDevice)
            } catch  where program.device.isFull && error.isStorageFull {
                count("write on a full disk refused", in: "devices")
                wait(program, 5_000_000)
                return true
            }
            program.device.number = nextDevice
            note("device \(program.device.place) is number \(nextDevice) now")
            count("new identity", in: "devices")
            try await inform(program)
            return true
        default:
            program.isWaiting = true
            after(Int64(1 + dice.below(20)) * 1_000_000, unless: { !program.isOpen }) { [unowned self] in
                program.isWaiting = false
                guard program.isOpen else { return }
                try await release(program)
                try await inform(program)
            }
            return true
        }
    }

    /// Lets a device that is held try again.
    func release(_ program: Program) async throws {
        do {
            try await program.process.replica.release()
        } catch  where program.device.isFull && error.isStorageFull {
            // There is room later.
        }
    }

    // MARK: News

    /// Asks for news, as a program does all the time.
    func watch(_ program: Program) {
        program.watch += 1
        let number = program.watch
        let hub = place(of: program)
        guard isReachable(program.device), !isLost() else { return renew(program, number, after: 25_000_000) }
        after(delay()) { [unowned self] in
            guard program.watch == number, program.isOpen else { return }
            guard isReachable(program.device), !stopped.contains(hub) else {
                return renew(program, number, after: 5_000_000)
            }
            watchers[program.number] = Watcher(number: number, head: program.head, hub: hub)
            try await answerWatcher(program.number, evenIfOld: false)
            // A hub that was restored has less than the program has seen, and reports it in the end.
            if watchers[program.number] != nil, try await self.hub.head() < program.head {
                after(20_000_000, unless: { program.watch != number || !program.isOpen }) { [unowned self] in
                    try await answerWatcher(program.number, evenIfOld: true)
                }
            }
        }
    }

    /// Asks again after a failure, and syncs in any case: something may have happened in the meantime.
    func renew(_ program: Program, _ number: Int, after microseconds: Int64) {
        after(microseconds, unless: { program.watch != number || !program.isOpen }) { [unowned self] in
            watch(program)
            try await inform(program)
        }
    }

    /// Answers a question for news if there are some.
    func answerWatcher(_ number: Int, evenIfOld: Bool) async throws {
        guard let watcher = watchers[number], let program = programs.first(where: { $0.number == number }) else {
            return
        }
        let head = try await hub.head()
        guard head > watcher.head || evenIfOld else { return }
        watchers[number] = nil
        guard !isLost() else { return renew(program, watcher.number, after: 25_000_000) }
        after(delay()) { [unowned self] in
            guard program.watch == watcher.number, program.isOpen else { return }
            guard isReachable(program.device) else { return renew(program, watcher.number, after: 25_000_000) }
            program.head = head
            watch(program)
            try await inform(program)
        }
    }

    /// Lets those who wait know of a commit: those at the same process at once, others with the next poll.
    func announce(from hub: Int?) async throws {
        for (number, watcher) in watchers.sorted(by: { $0.key < $1.key }) {
            if watcher.hub == hub {
                try await answerWatcher(number, evenIfOld: false)
            } else {
                let interval: Int64 = 500_000
                after(interval - now % interval) { [unowned self] in
                    try await answerWatcher(number, evenIfOld: false)
                }
            }
        }
    }
}

extension Error {
    /// Whether a store or a disk has no room left.
    var isStorageFull: Bool {
        guard let error = self as? RecordsError, case .engine(let cause) = error else { return false }
        return cause.code == "store-full"
    }
}
