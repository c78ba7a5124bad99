import Daybook
import Terminal

// A journal in a terminal: "new Garden" begins a thread, every other line is an entry.
let app = ThreadJournalApp(try DaybookStore.open(at: storeFolder(of: "threads")))
await runInTerminal({ app.screen }, app.enter)
