import Daybook
import Terminal

// The plan of today in a terminal: "morning must Write" plans a task, any other line goes to the backlog.
let app = DayPlannerApp(try DaybookStore.open(at: storeFolder(of: "stack")))
await app.beginDay()
await runInTerminal({ app.screen }, app.enter)
