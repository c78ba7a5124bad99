/// The tasks that a story has named so far: a misspelt name is found while the file is read.
struct TaskNames {
    /// The lines where tasks are created.
    private var created: [String: Int] = [:]
    /// The lines where creating a task is refused.
    private var refused: [String: Int] = [:]
    /// Whether tasks may be there that the story does not name, by a verb of the program's own.
    private var isOpen = false

    /// From now on every name may be one.
    mutating func open() {
        isOpen = true
    }

    /// A task is created.
    mutating func create(_ name: String, line: Int) throws(ScenarioProblem) {
        if let first = created[name] {
            throw ScenarioProblem(
                line, "There is a task \(shown(name)) already, from line \(first): a name can be used once in a story.")
        }
        created[name] = line
    }

    /// What was created since then is not there, for its step is refused.
    mutating func refuse(since before: TaskNames) {
        for (name, line) in created where before.created[name] == nil { refused[name] = line }
        created = before.created
    }

    /// Checks that a step can name a task.
    func use(_ name: String, line: Int) throws(ScenarioProblem) {
        guard !isOpen, created[name] == nil else { return }
        if let first = refused[name] {
            throw ScenarioProblem(line, "There is no task \(shown(name)): creating it is refused in line \(first).")
        }
        throw ScenarioProblem(line, "There is no task \(shown(name)) so far" + suggestion(for: name))
    }

    /// Checks that an expectation can name a task: it may also be one whose creation was refused.
    func mention(_ name: String, line: Int) throws(ScenarioProblem) {
        if refused[name] == nil { try use(name, line: line) }
    }

    private func suggestion(for name: String) -> String {
        // In an order of their own: a dictionary's changes from run to run.
        NearWords.suggestion(
            for: name, of: created.keys.sorted(), otherwise: ": name one that was created in a line above.")
    }
}
