/// The texts of new tasks, of equal length for every peer.
enum Sentences {
    static func create(_ number: Int) -> String { "Review chapter \(number + 1000) of the thesis before the meeting" }

    static func create(writer: Int, _ number: Int) -> String {
        "Task \(number + 1000) of writer \(writer + 100), to be done some day"
    }
}
