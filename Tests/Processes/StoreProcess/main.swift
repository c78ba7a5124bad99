// A second process for the tests of KeyValue: it opens a store and runs the commands of its standard input, with one
// line of output for each. Not part of any product.

import Foundation
import KeyValue

let session = Session()
while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    guard let command = words.first, command != "exit" else { break }
    do {
        reply(try await session.run(command, Array(words.dropFirst())))
    } catch {
        reply("error \(name(of: error))")
    }
}
