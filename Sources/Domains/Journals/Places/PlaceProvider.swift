import Records

/// Finds the place where a person is: the system's location services, or a fake in tests.
public protocol PlaceProvider: Sendable {
    /// Returns whether the person allows it, and asks if they were not asked before.
    func requestPermission() async -> Bool

    /// Returns the city and the state; a missing one is nil in the initializer of `EntryPlace`.
    func currentPlace() async throws(PlaceError) -> EntryPlace
}

/// Why there is no place. An entry is written all the same.
public enum PlaceError: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The person does not allow it.
    case denied
    /// The system has no location services at present.
    case unavailable
    /// The position has no known city.
    case undetermined
    /// It took longer than 5 seconds.
    case timedOut

    /// The text for a person.
    public var description: String {
        switch self {
        case .denied: "Location permission denied"
        case .unavailable: "Location services unavailable"
        case .undetermined: "Unable to determine location"
        case .timedOut: "Location request timed out"
        }
    }
}

/// What became of the place of an entry.
public enum PlaceOutcome: Sendable, Equatable {
    /// The entry has it now.
    case placed(JournalEntry)
    /// Entries get no places, by the settings.
    case isOff
    /// There was none; the entry has no place.
    case failed(PlaceError)
    /// The entry was deleted meanwhile, or the store could not be written.
    case notStored(JournalError)
}

/// What a person sees after turning places on.
public enum LocationStatus: Sendable, Hashable {
    /// The person did not allow it: it stays off.
    case denied
    /// It is on, and this is the place.
    case found(EntryPlace)
    /// It is on, and there is no place now: "Location unavailable".
    case unavailable(PlaceError)
}
