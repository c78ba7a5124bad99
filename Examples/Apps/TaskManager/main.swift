import Daybook
import Terminal

// A task list in a terminal: each line is a new task in the Inbox; "today 1", "done 1" and "undo" do what they say.
let app = TasksApp(try DaybookStore.open(at: storeFolder(of: "tasks")))
await runInTerminal({ app.screen }, app.enter)
