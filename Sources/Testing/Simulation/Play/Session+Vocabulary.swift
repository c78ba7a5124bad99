import Daybook

/// The verbs of the program's own.
extension Session {
    /// Does what a verb says. Returns the code of the refusal.
    func perform(_ verb: String, _ value: ScenarioValue) async throws -> String? {
        let life = try openLife(verb)
        guard let perform = vocabulary.verbs[verb] else {
            throw StoryFailure(verb, expected: "a verb of the vocabulary", found: "none of this name")
        }
        let found: String?
        do {
            found = try await refusal { try await perform(value, life.daybook) }
        } catch {
            throw StoryFailure(error, of: verb)
        }
        await world.settle()
        if !isBeyondModel { try await followChanges(by: verb, life) }
        if isBeyondModel { try learnTasks(of: life.daybook) }
        return found
    }

    /// What a verb does to the program's own records is not the model's business, but for its place in the history. When
    /// it changes tasks, nothing can be said of those any more.
    private func followChanges(by verb: String, _ life: Life) async throws {
        let count = Int(try life.daybook.read { try $0.lastSequence() }) - model.sequence
        let hasCaughtUp = await world.executor.settle { [feed = life.feed] in feed.count >= count }
        guard hasCaughtUp else {
            throw StoryFailure("the change feed", expected: "\(count) changes by \(verb)", found: "\(life.feed.count)")
        }
        let changes = life.feed.waiting
        let ofTasks: [String?] = [TaskItem.collection.name, Tombstone.collection.name]
        let touchesTasks = changes.contains { change in
            change.isUndoOrRedo || change.entries.isEmpty || change.entries.contains { ofTasks.contains($0.collection) }
        }
        if touchesTasks {
            isBeyondModel = true
        } else {
            for change in changes {
                let operation = TaskOperation(rawValue: change.label.operation) ?? .several
                expectedChanges.append(model.noteRecords(operation, at: moment))
            }
        }
    }

    /// A task that a verb has created is known by its text.
    private func learnTasks(of daybook: DaybookStore) throws {
        for view in TaskView.allCases {
            for task in try daybook.tasks.read({ try $0.tasks(in: view) }) where names[task.id] == nil {
                learn(task.text, is: task.id)
            }
        }
    }
}
