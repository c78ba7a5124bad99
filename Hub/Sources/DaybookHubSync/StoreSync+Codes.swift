import Daybook
import HubClient
import Sync

extension StoreSync {
    /// The code of an error that this service has thrown, the same in every version, as ``SyncStatus/failureCode`` has it.
    public static func code(of error: any Error) -> String {
        switch error {
        case let error as HubRefusal: error.problem.map(code) ?? error.refusal.code
        case let error as SyncRefusal: error.code
        case let error as HubClientError: code(error)
        case let error as SyncError: error.code
        case let error as IdentityError: code(error)
        default: StoreFailure(error, during: .sync).code
        }
    }

    private static func code(_ error: HubClientError) -> String {
        switch error {
        case .invalidAddress: "invalidAddress"
        case .insecureAddress: "insecureAddress"
        case .invalidPin: "invalidPin"
        case .wrongCertificate: "wrongCertificate"
        case .untrustedCertificate: "untrustedCertificate"
        case .unreachable: SyncRefusal.unavailable.code
        case .notAHub: "notAHub"
        case .refused(let refusal): refusal.code
        case .conflict: "conflict"
        case .invite: "invite"
        case .unknownDevice: "unknownDevice"
        case .registration: "registration"
        case .limit: "limit"
        }
    }

    private static func code(_ error: IdentityError) -> String {
        switch error {
        case .notJoined: "notJoined"
        case .invalidFile: "invalidFile"
        case .file: "file"
        case .invalidKey: "invalidKey"
        case .invalidInvite: "invalidInvite"
        case .invalidRecoveryKey: "invalidRecoveryKey"
        case .wrongSecret: "wrongSecret"
        }
    }
}
