import DiskImages
import KeyValue
import Records

/// Images of stores with a commit log.
extension DiskImage {
    /// Whether the log of a store counts: recovery may return to pages that the meta pages do not lead to.
    var isLogged: Bool {
        files.contains { path, content in
            Self.name(of: path) == CommitLogState.fileName && CommitLogState.mode(in: content.bytes) != .direct
        }
    }

    /// The image of a store that programs without the commit log do not open.
    var refusingOlderPrograms: DiskImage {
        guard let manifest = bytes(of: Self.manifestPath), let refusal = RecordStore.olderProgramGuard.refusal(manifest)
        else { return self }
        var image = self
        image.addFile(Self.manifestPath, FileContent(refusal))
        return image
    }

    /// Whether programs without the commit log open it although its log counts: what they commit would be lost.
    var admitsOlderPrograms: Bool {
        guard isLogged, let manifest = bytes(of: Self.manifestPath) else { return false }
        return RecordStore.olderProgramGuard.refusal(manifest) != nil
    }

    private static let manifestPath = "\(Recording.storePath)/\(RecordStore.manifestName)"
}
