import Daybook
import Terminal

// Lists in a terminal: "list Home" begins a list, every other line is a task of it.
let app = ReminderListsApp(try DaybookStore.open(at: storeFolder(of: "lists")))
await runInTerminal({ app.screen }, app.enter)
