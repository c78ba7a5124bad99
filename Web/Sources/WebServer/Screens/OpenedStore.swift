import Daybook
import DaybookModels
import Foundation

/// A store with what every page needs of it. Another one takes its place when the store was removed or replaced.
@MainActor
struct OpenedStore {
    let store: DaybookStore
    /// The view of the store in which a change shows before it is durable.
    let session: DaybookSession
    let lists: ListsModel
    let undo: UndoModel<UndoNotice>
    /// What every row depends on: rows show more than their own records, such as whether another task blocks them, and times.
    let basis: LiveValue<Basis>
    private let folderNumber: String?

    init(_ store: DaybookStore) {
        self.store = store
        session = store.session()
        lists = ListsModel(session.tasks)
        undo = UndoModel(session.tasks)
        let context = store.context
        basis = LiveValue(
            session.observe { Basis(sequence: try $0.lastSequence(), today: context.today, zone: context.zone) })
        folderNumber = Self.number(ofFolder: store.path)
    }

    /// The last change, the day and the zone.
    struct Basis: Equatable {
        let sequence: UInt64
        let today: Day
        let zone: Zone
    }

    /// Whether the store's folder is gone, or is another one than that which was opened.
    var isReplaced: Bool { Self.number(ofFolder: store.path) != folderNumber }

    /// The inode, as text: its type is not the same in every Foundation.
    private static func number(ofFolder path: String) -> String? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber]).map { "\($0)" }
    }
}

extension LiveModel {
    var failureOfPhase: StoreFailure? { if case .failed(let failure) = phase { failure } else { nil } }
}
