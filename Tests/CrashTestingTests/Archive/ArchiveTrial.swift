#if os(Linux)
    import ByteStreams
    import Foundation
    import Injection

    @testable import CrashTesting

    /// An operation on files, recorded and judged in this process: a test may not fork, since it has other threads.
    struct ArchiveTrial {
        let folder: LabFolder
        let operation: ArchiveOperation
        private let start: DiskImage

        init(_ operation: ArchiveOperation) throws {
            folder = try LabFolder()
            self.operation = operation
            let place = ArchivePlace(folder: folder.path)
            let store = try LabStore(at: place.store)
            var model = LabModel(today: LabStore.today)
            for step in LabWorkload.Base.smallSteps {
                guard let action = model.action(for: step) else { continue }
                try store.perform(action)
                model.apply(action, at: LabStore.start)
            }
            store.close()
            try operation.prepare(place)
            start = try FolderFiles.image(of: folder.path).withoutLockFiles
        }

        func record(_ sabotage: InjectionPoint? = nil) throws -> ArchiveRecording {
            try FolderFiles.replace(folder.path, with: start)
            try DiskLog.begin(folder: folder.path)
            defer { DiskLog.end() }
            try ArchiveRun(operation: operation, place: ArchivePlace(folder: folder.path, sabotage: sabotage)).run()
            return ArchiveRecording(
                operation: operation, sabotage: sabotage, start: start, entries: try DiskLog.entries().prepared)
        }

        /// What is wrong with the images that crashes leave, and how many different ones were looked at.
        func problems(
            _ sabotage: InjectionPoint? = nil,
            limits: ExplorationLimits = ExplorationLimits(subsetLimit: 7, samples: 16, tears: 4)
        ) throws -> (tried: Int, problems: [String]) {
            let recording = try record(sabotage)
            var seen: Set<UInt64> = []
            var problems: [String] = []
            for moment in recording.moments {
                let judge = ArchiveJudge(recording: recording, isAcknowledged: moment.isAcknowledged)
                for recipe in moment.recipes(limits: limits) {
                    let image = moment.history.image(recipe)
                    guard seen.insert(image.digest ^ (moment.isAcknowledged ? 1 : 0)).inserted else { continue }
                    if let problem = try problem(of: image, judge) { problems.append(problem) }
                }
            }
            return (seen.count, problems)
        }

        private func problem(of image: DiskImage, _ judge: ArchiveJudge) throws -> String? {
            if let problem = judge.problem(of: image) { return problem }
            guard case .folder = operation.promise else { return nil }
            let place = ArchivePlace(folder: "\(folder.path)/image")
            try FolderFiles.replace(place.folder, with: image)
            do {
                try judge.checkStores(at: place, voice: folder.voice)
                return nil
            } catch {
                return "\(error)"
            }
        }

        /// What is wrong when calls fail, each in turn, and how many were made to.
        func problems(of faults: [DiskFault], states: Set<UInt64> = []) throws -> (tried: Int, problems: [String]) {
            let recording = try record()
            var tried = 0
            var problems: [String] = []
            for var fault in faults {
                repeat {
                    let run = ArchiveFaultRun(
                        recording: recording, fault: fault, states: states,
                        place: ArchivePlace(folder: "\(folder.path)/fault"), voice: folder.voice)
                    do {
                        try run.run()
                    } catch {
                        problems.append("\(fault.name), call \(fault.first): \(error)")
                    }
                    DiskLog.end()
                    fault.first += 1
                    tried += DiskLog.faultHit > 0 ? 1 : 0
                } while DiskLog.faultHit > 0
            }
            return (tried, problems)
        }
    }
#endif
