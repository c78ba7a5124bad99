extension LabWorkload {
    /// What the store must hold after so many transactions.
    func model(after number: Int) -> LabModel {
        var model = Base.model(of: base)
        var done = 0
        for (index, step) in steps.enumerated() where done < number {
            guard let action = model.action(for: step) else { continue }
            model.apply(action, at: LabStore.instant(ofStep: index + 1))
            done += 1
        }
        return model
    }
}
