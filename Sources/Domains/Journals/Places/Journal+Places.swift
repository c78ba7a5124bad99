import CivilTime
import FoundationEssentials
import Records
import Threading

extension Journal {
    /// How long a provider may take, in microseconds of the monotonic clock.
    static let placeLimit: Int64 = 5_000_000

    /// Writes an entry at once, and its place in a second transaction if the provider finds it within 5 seconds. Both are
    /// undone as one. The place is not an edit.
    ///
    /// - Returns: The entry as it was written, and the task that adds the place. It ends within 5 seconds whatever the
    ///   provider does, and need not be awaited.
    public func addEntry(
        _ new: NewEntry, to thread: UUID, placeFrom provider: some PlaceProvider
    ) async throws(JournalError) -> (entry: JournalEntry, place: Task<PlaceOutcome, Never>) {
        let (entry, sequence) = try await writeNumbered(.addEntry) { try $0.addEntry(new, to: thread) }
        return (entry, Task { await self.findPlace(of: entry.id, from: provider, continuing: sequence) })
    }

    /// Waits for the place, at most 5 seconds, and writes the entry with it in one transaction. Without a place the entry is
    /// written all the same.
    public func addEntry(
        _ new: NewEntry, to thread: UUID, waitingForPlaceFrom provider: some PlaceProvider
    ) async throws(JournalError) -> JournalEntry {
        var new = new
        if try settings().isLocationEnabled { new.place = try? await place(from: provider) }
        return try await addEntry(new, to: thread)
    }

    /// Turns places on: asks for permission, and finds the present place. Without permission they stay off.
    public func turnOnPlaces(_ provider: some PlaceProvider) async throws(JournalError) -> LocationStatus {
        guard await provider.requestPermission() else { return .denied }
        let found: Result<EntryPlace, PlaceError>
        do throws(PlaceError) {
            found = .success(try await place(from: provider))
        } catch {
            found = .failure(error)
        }
        let place = try? found.get()
        try await changeSettings { settings in
            settings.isLocationEnabled = true
            settings.lastPlace = place
        }
        switch found {
        case .success(let place): return .found(place)
        case .failure(let error): return .unavailable(error)
        }
    }

    /// Turns places off, and forgets the last one. Entries keep theirs.
    public func turnOffPlaces() async throws(JournalError) {
        try await changeSettings { settings in
            settings.isLocationEnabled = false
            settings.lastPlace = nil
        }
    }

    private func findPlace(
        of entry: UUID, from provider: some PlaceProvider, continuing first: UInt64
    ) async -> PlaceOutcome {
        do throws(JournalError) {
            guard try settings().isLocationEnabled else { return .isOff }
            let place: EntryPlace
            do throws(PlaceError) {
                place = try await self.place(from: provider)
            } catch {
                return .failed(error)
            }
            // Also when the journal was locked meanwhile: the entry was written before.
            let written = try await writeUnlocked(.placeEntry, continuing: first) { transaction in
                let placed = try transaction.setPlace(place, of: entry)
                _ = try transaction.changeSettings { $0.lastPlace = place }
                return placed
            }
            return .placed(written.result)
        } catch {
            return .notStored(error)
        }
    }

    /// The provider's answer, or `timedOut`: a provider that does not answer, and ignores that its task is cancelled, is left
    /// to itself.
    private func place(from provider: some PlaceProvider) async throws(PlaceError) -> EntryPlace {
        let clock = store.context.clock
        let deadline = clock.monotonic.advanced(byMicroseconds: Self.placeLimit)
        let race = FirstAnswer()
        // It begins on this thread: nobody waits for another one where a provider knows the place.
        let finding = Task.immediate {
            do throws(PlaceError) {
                race.give(.success(try await provider.currentPlace()))
            } catch {
                race.give(.failure(error))
            }
        }
        defer { finding.cancel() }
        let answer = await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        try await clock.sleep(until: deadline)
                        race.give(.failure(.timedOut))
                    } catch {
                        // The answer came first.
                        race.give(.failure(.unavailable))
                    }
                }
                let answer = await race.wait()
                group.cancelAll()
                return answer
            }
        } onCancel: {
            race.give(.failure(.unavailable))
        }
        return try answer.get()
    }
}

/// The first of several answers; later ones do not count.
private final class FirstAnswer: Sendable {
    typealias Answer = Result<EntryPlace, PlaceError>

    private struct State {
        var answer: Answer?
        var waiting: CheckedContinuation<Answer, Never>?
    }

    private let state = ForkSafeMutex(State())

    func give(_ answer: Answer) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard state.answer == nil else { return nil }
            state.answer = answer
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: answer)
    }

    /// Called once.
    func wait() async -> Answer {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Answer? in
                if state.answer == nil { state.waiting = continuation }
                return state.answer
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
