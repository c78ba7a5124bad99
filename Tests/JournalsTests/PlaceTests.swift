import CivilTime
import Foundation
import Records
import Synchronization
import Testing

@testable import Journals

/// A provider that behaves in one of five ways.
private final class FakeProvider: PlaceProvider {
    enum Behavior: Sendable, CaseIterable { case finds, isDenied, isUnavailable, knowsNoCity, hangs }

    let behavior: Behavior
    private let held = Atomic(0)

    init(_ behavior: Behavior) {
        self.behavior = behavior
    }

    func requestPermission() async -> Bool { behavior != .isDenied }

    func currentPlace() async throws(PlaceError) -> EntryPlace {
        switch behavior {
        case .finds: return EntryPlace(city: "Berlin", state: nil)
        case .isDenied: throw .denied
        case .isUnavailable: throw .unavailable
        case .knowsNoCity: throw .undetermined
        case .hangs:
            // It ignores that its task is cancelled, until the test ends it.
            while held.load(ordering: .relaxed) == 0 { await Task.yield() }
            return EntryPlace("Too, Late")
        }
    }

    func end() { held.store(1, ordering: .relaxed) }
}

@Suite struct PlaceTests {
    private func journal() async throws -> (TestJournal, UUID) {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        #expect(
            try await opened.journal.turnOnPlaces(FakeProvider(.finds))
                == .found(EntryPlace(city: "Berlin", state: nil)))
        return (opened, thread.id)
    }

    @Test(
        "An entry is there at once whatever the provider does, and the place follows if there is one [J-OP10, X-15]",
        arguments: FakeProvider.Behavior.allCases)
    fileprivate func behaviors(_ behavior: FakeProvider.Behavior) async throws {
        let (opened, thread) = try await journal()
        let provider = FakeProvider(behavior)
        defer { provider.end() }
        let start = opened.clock.monotonic
        let (entry, place) = try await opened.journal.addEntry(NewEntry("x"), to: thread, placeFrom: provider)
        // The clock stood still: nothing was waited for.
        #expect(opened.clock.monotonic == start)
        #expect(try opened.contents(of: thread) == ["x"])
        if behavior == .hangs {
            try await opened.waitForSleepers()
            opened.clock.stepWall(byMicroseconds: 3_600_000_000)
            opened.clock.advance(byMicroseconds: 4_999_999)
            #expect(try opened.journal.entry(entry.id)?.place == nil)
            opened.clock.advance(byMicroseconds: 1)
        }
        let outcome = await place.value
        let stored = try #require(try opened.journal.entry(entry.id))
        switch behavior {
        case .finds:
            #expect(outcome == .placed(stored))
            #expect(stored.place?.description == "Berlin, Unknown State" && !stored.isEdited && stored.placedAt != nil)
            #expect(try opened.journal.settings().lastPlace == stored.place)
        case .isDenied: #expect(outcome == .failed(.denied))
        case .isUnavailable: #expect(outcome == .failed(.unavailable))
        case .knowsNoCity: #expect(outcome == .failed(.undetermined))
        case .hangs: #expect(outcome == .failed(.timedOut))
        }
        if behavior != .finds { #expect(stored == entry) }
        // Both transactions are one for a person.
        try await opened.store.write { try $0.undo() }
        #expect(try opened.contents(of: thread) == [])
        try opened.expectSound()
    }

    @Test("A place that comes after the 5 seconds is not stored [J-OP10]")
    func late() async throws {
        let (opened, thread) = try await journal()
        let provider = FakeProvider(.hangs)
        let (entry, place) = try await opened.journal.addEntry(NewEntry("x"), to: thread, placeFrom: provider)
        try await opened.waitForSleepers()
        opened.clock.advance(byMicroseconds: 5_000_000)
        #expect(await place.value == .failed(.timedOut))
        provider.end()
        for _ in 0..<1000 { await Task.yield() }
        #expect(try opened.journal.entry(entry.id)?.place == nil)
    }

    @Test("An entry that was deleted meanwhile gets no place")
    func deleted() async throws {
        let (opened, thread) = try await journal()
        let provider = FakeProvider(.hangs)
        let (entry, place) = try await opened.journal.addEntry(NewEntry("x"), to: thread, placeFrom: provider)
        try await opened.journal.deleteEntries([entry.id])
        provider.end()
        #expect(await place.value == .notStored(.noSuchEntry))
    }

    @Test("Without the setting no provider is asked; the strict way waits at most 5 seconds [J-OP10, X-15]")
    func strict() async throws {
        let (opened, thread) = try await journal()
        let found = try await opened.journal.addEntry(
            NewEntry("a"), to: thread, waitingForPlaceFrom: FakeProvider(.finds))
        #expect(found.place?.city == "Berlin")
        let provider = FakeProvider(.hangs)
        defer { provider.end() }
        let journal = opened.journal
        let waiting = Task { try await journal.addEntry(NewEntry("b"), to: thread, waitingForPlaceFrom: provider) }
        try await opened.waitForSleepers()
        #expect(try opened.contents(of: thread) == ["a"])
        opened.clock.advance(byMicroseconds: 5_000_000)
        #expect(try await waiting.value.place == nil)
        try await opened.journal.turnOffPlaces()
        #expect(try opened.journal.settings().lastPlace == nil)
        let off = try await opened.journal.addEntry(NewEntry("c"), to: thread, placeFrom: FakeProvider(.finds))
        #expect(await off.place.value == .isOff)
        #expect(try opened.contents(of: thread) == ["a", "b", "c"])
    }

    @Test("Turning places on needs permission, and a failure to find one leaves them on [J-OP11, X-39]")
    func turningOn() async throws {
        let opened = try TestJournal()
        #expect(try await opened.journal.turnOnPlaces(FakeProvider(.isDenied)) == .denied)
        #expect(try !opened.journal.settings().isLocationEnabled)
        #expect(try await opened.journal.turnOnPlaces(FakeProvider(.knowsNoCity)) == .unavailable(.undetermined))
        #expect(try opened.journal.settings().isLocationEnabled && opened.journal.settings().lastPlace == nil)
        #expect(
            PlaceError.allCases.map(\.description) == [
                "Location permission denied", "Location services unavailable", "Unable to determine location",
                "Location request timed out",
            ])
    }
}
