/// How a page looks.
enum PageStyle {
    /// Everything, in the order in which it has to stand.
    static let text = colours + type + heads + line + lanes + event + wide + print

    /// Paper, ink, and four colours that mean something; never alone.
    private static let colours = """

        :root {
          color-scheme: light dark;
          --paper: #fdfcf8; --ink: #1c1b19; --quiet: #656158; --hair: #dfdbd0;
          --a: #f3f0e8; --b: #e7e3d8; --night: #64748b26;
          --path: #1f4b73; --bad: #a3221a; --warn: #855000; --good: #2c6136; --new: #f8edc3;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #151618; --ink: #e7e4dd; --quiet: #a5a096; --hair: #34363c;
            --a: #1d1f23; --b: #282b31; --night: #7c92b52e;
            --path: #86b7e8; --bad: #ff958b; --warn: #e8b761; --good: #90d29c; --new: #3d3721;
          }
        }

        """

    private static let type = """
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; scroll-padding-top: 7rem; }
        body {
          margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
          font: 400 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
          font-variant-numeric: tabular-nums lining-nums;
        }
        main { max-width: 1560px; margin: 0 auto; padding: 40px 16px 80px; }
        h1, h2 {
          font: 400 34px/1.15 "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia,
            "Liberation Serif", serif;
          letter-spacing: -0.01em; margin: 0 0 12px; max-width: 24em; text-wrap: balance;
        }
        h2 { font-size: 28px; }
        h3, h4, dt, th, .kind, .row.head {
          font-size: 11px; font-weight: 600; line-height: 1.4; color: var(--quiet); letter-spacing: 0.02em; margin: 0;
        }
        p, ul, ol, dl, dd { margin: 0; padding: 0; }
        ul, ol { list-style: none; }
        a { color: var(--path); text-underline-offset: 3px; text-decoration-thickness: 1px; }
        i, em { font-style: normal; }
        :focus-visible { outline: 2px solid var(--path); outline-offset: 2px; border-radius: 2px; }
        code, kbd { font: 12px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
        kbd { border: 1px solid var(--hair); border-radius: 3px; padding: 0 4px; }
        button {
          font: inherit; color: var(--path); background: none; border: 1px solid var(--hair); border-radius: 4px;
          padding: 6px 12px; cursor: pointer;
        }
        button:hover { border-color: currentColor; }
        .quiet { color: var(--quiet); font-weight: 400; }
        .bad { color: var(--bad); }
        .vh {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        .defs { position: absolute; }
        .m { width: 16px; height: 16px; display: block; color: var(--ink); overflow: visible; }
        .f, .r { fill: currentColor; }
        .h { fill: var(--paper); stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
        .k { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
        .m-crash, .m-fault, .m-refused { color: var(--bad); }
        .m-jump, .m-time, .m-travel, .m-sleep, .m-wake { color: var(--path); }

        """

    private static let heads = """
        .kind { margin: 0 0 8px; font-weight: 400; font-size: 13px; }
        .lead { font-size: 17px; }
        .story { margin: 0 0 112px; content-visibility: auto; contain-intrinsic-size: auto 4000px; }
        .story + .story, nav + .story { border-top: 1px solid var(--ink); padding-top: 24px; }
        .verdict.good { color: var(--good); font-size: 17px; }
        .verdict.failed { border-left: 3px solid var(--bad); padding: 2px 0 2px 16px; margin: 16px 0; font-size: 17px; }
        .verdict.failed p { color: var(--bad); }
        .verdict.failed .quiet { font-size: 14px; }
        .difference { display: grid; gap: 12px 32px; margin-top: 12px; font-size: 14px; max-width: 72em; }
        .difference dd { white-space: pre-wrap; }
        .facts { display: flex; flex-wrap: wrap; gap: 12px 32px; margin: 24px 0 0; max-width: 90em; }
        .facts div { min-width: 0; }
        .tools { margin: 20px 0 0; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; }
        .keys { display: none; }
        .legend { margin: 32px 0 0; color: var(--quiet); font-size: 13px; max-width: 62em; }
        .legend ul { display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 8px 0; }
        .legend li { display: flex; gap: 6px; align-items: center; }
        .legend p { margin-top: 12px; max-width: 46em; }

        .top { margin-bottom: 32px; }
        .stories { width: 100%; border-collapse: collapse; margin: 0 0 96px; display: block; }
        .stories thead { display: none; }
        .stories tbody, .stories tr { display: block; }
        .stories tr {
          display: grid; grid-template-columns: 2.2em minmax(0, 1fr) auto; gap: 0 8px; padding: 10px 0;
          border-top: 1px solid var(--hair);
        }
        .stories td { padding: 0; }
        .stories td.num, .stories .zone { color: var(--quiet); }
        .stories .zone { grid-column: 2; }
        .stories td.num:nth-of-type(4), .stories .course { display: none; }
        .stories .verdict { grid-column: 3; grid-row: 1; white-space: nowrap; color: var(--good); }
        .strokes { display: block; max-width: 100%; }
        .strokes path { fill: none; stroke-width: 1.3; stroke: var(--quiet); }
        .strokes .t { stroke: var(--path); }
        .strokes .x { stroke: var(--bad); stroke-width: 2.4; }
        @media (min-width: 760px) and (max-width: 999px) {
          .stories .course, .stories th:nth-child(5) { display: none !important; }
        }
        @media (min-width: 760px) {
          .stories { display: table; }
          .stories thead { display: table-header-group; }
          .stories tbody { display: table-row-group; }
          .stories tr { display: table-row; }
          .stories td, .stories th {
            display: table-cell; text-align: left; vertical-align: top; padding: 7px 20px 7px 0;
            border-top: 1px solid var(--hair);
          }
          .stories th { border: 0; white-space: nowrap; }
          .stories th.num, .stories td.num { text-align: right; width: 3em; }
          .stories td.num:nth-of-type(4), .stories .course { display: table-cell; }
          .stories .name { min-width: 16em; }
          .stories .zone { white-space: nowrap; }
          .stories .course { width: 180px; }
          .stories th:last-child, .stories td:last-child { padding-right: 0; }
          .difference { grid-template-columns: 1fr 1fr; }
          .keys { display: inline; }
        }

        """

    private static let line = """
        .line {
          --lane: min(24px, calc(30vw / var(--n))); --x0: calc(var(--lane) / 2); --y: 18px;
          --all: calc(var(--lane) * var(--n)); margin-top: 36px;
        }
        .row { display: grid; grid-template-columns: var(--all) minmax(0, 1fr); column-gap: 14px; }
        .row.head .cell, .row.head .what { display: none; }
        .row.head { position: sticky; top: 0; z-index: 3; background: var(--paper); }
        .row.head .lanes { align-items: end; padding: 6px 0; }
        .row.head b { flex: 0 0 var(--lane); width: var(--lane); font-weight: 600; display: flex; justify-content: center; }
        .row.head span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; line-height: 1; }
        .say { grid-column: 2 / -1; font-size: 13px; padding: 3px 0; align-self: center; color: var(--quiet); }
        .say em, .lanes em { color: var(--warn); font-weight: 600; }
        .say b { font-weight: 600; color: var(--ink); }
        .say > em { display: block; }
        .day { display: block; }
        .gap .lanes { min-height: var(--h); }
        .leap .lanes { min-height: max(34px, var(--h)); }
        .leap .say strong { color: var(--warn); }
        .boundary .lanes, .dates .lanes { min-height: 26px; }

        """

    private static let lanes = """
        .lanes { position: relative; display: flex; grid-column: 1; grid-row: 1 / span 8; min-width: 0; }
        .lanes i { position: relative; flex: 0 0 var(--lane); width: var(--lane); border-right: 1px solid var(--paper); }
        .lanes .a { background: var(--a); }
        .lanes .b { background: var(--b); }
        .lanes .mid { border-top: 2px solid var(--ink); }
        .pile .lanes i { background: repeating-linear-gradient(var(--a) 0 4px, var(--b) 4px 8px); }
        .asleep .lanes i { box-shadow: inset 0 0 0 200px var(--night); }
        .lanes i > * { display: none; }
        .on::before, .off::before, .in::before {
          content: ""; position: absolute; z-index: 1; left: calc(var(--x0) - 1.5px); width: 3px; top: 0; bottom: 0;
          background: var(--path);
        }
        .mid.on::before { top: -2px; }
        .off::before { bottom: auto; height: var(--y); }
        .in::before { top: var(--y); }
        .asleep .lanes i::before { background: repeating-linear-gradient(var(--path) 0 2px, transparent 2px 7px); }
        .closed .lanes i::before {
          background: none; border: solid var(--path); border-width: 0 1.5px; width: 6px; left: calc(var(--x0) - 3px);
        }
        .leap .lanes i {
          background: repeating-linear-gradient(135deg, transparent 0 5px, var(--hair) 5px 6px);
        }
        .leap .lanes i.on::before {
          width: 11px; left: calc(var(--x0) - 5.5px); top: 3px; bottom: 3px; background: var(--path);
          clip-path: polygon(36% 0, 64% 0, 64% 20%, 100% 36%, 0 64%, 64% 82%, 64% 100%, 36% 100%, 36% 84%, 0 66%, 0 60%, 84% 38%, 36% 22%);
        }
        .hop {
          position: absolute; z-index: 1; left: calc(var(--x) * var(--lane) + var(--x0)); top: calc(var(--y) - 1.5px);
          width: calc(var(--w) * var(--lane)); height: 3px; background: var(--path);
        }
        .crash .lanes::after {
          content: ""; position: absolute; z-index: 1; left: 0; right: 0; top: calc(var(--y) - 0.5px); height: 0;
          border-top: 1.5px dashed var(--bad);
        }
        .sign { position: absolute; z-index: 2; left: calc(var(--x) * var(--lane) + var(--x0) - 8px); top: calc(var(--y) - 8px); }

        """

    private static let event = """
        .event { padding: 0; }
        .event > details, .event > .cell { grid-column: 2; }
        .what > summary {
          cursor: pointer; padding: 7px 18px 7px 0; display: flex; flex-wrap: wrap; column-gap: 10px; list-style: none;
          border-radius: 3px; position: relative;
        }
        .what > summary::after {
          content: "" / ""; position: absolute; right: 4px; top: 14px; width: 6px; height: 6px; color: var(--quiet);
          border: solid; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg);
        }
        .what[open] > summary::after { transform: rotate(45deg); top: 12px; }
        .what > summary::-webkit-details-marker { display: none; }
        .what > summary:hover .text { text-decoration: underline; text-decoration-color: var(--hair); text-underline-offset: 3px; }
        .no { color: var(--quiet); font-size: 12px; line-height: 20px; min-width: 1.4em; }
        .no, .what time { font-size: 12px; line-height: 20px; }
        .what time { font-weight: 400; color: var(--quiet); }
        .text { flex: 1 0 100%; min-width: 0; }
        .text b { font-weight: 650; }
        .date { white-space: nowrap; }
        .expectation .text, .expectation .text b, .time .text, .time .text b { color: var(--quiet); font-weight: 400; }
        .out { flex-basis: 100%; color: var(--quiet); font-size: 13px; }
        .out.no { color: var(--bad); }
        .what .bad { flex-basis: 100%; }
        .crash .text b, .fault .text b { color: var(--bad); }
        .failing .what { box-shadow: -6px 0 0 var(--paper), -9px 0 0 var(--bad); }
        .event:target .what > summary { background: var(--new); }

        .cell { min-width: 0; font-size: 13px; }
        .cell:empty { display: none; }
        .event > .cell { padding: 0 0 10px; }
        .cell li, .views li, .signs li {
          display: grid; grid-template-columns: 0.95em 1.2em minmax(0, 1fr); padding: 1px 0;
        }
        .n::before, .a::before, .c::before { grid-area: 1 / 2; color: var(--quiet); font-weight: 400; }
        .cell .n::before, .views .n::before, .signs .n::before { content: "○"; content: "○" / "not started:"; }
        .cell .a::before, .views .a::before, .signs .a::before { content: "◐"; content: "◐" / "active:"; }
        .cell .c::before, .views .c::before, .signs .c::before { content: "●"; content: "●" / "completed:"; }
        .signs .n::before, .signs .a::before, .signs .c::before { content: "○" / ""; }
        .signs .a::before { content: "◐" / ""; }
        .signs .c::before { content: "●" / ""; }
        li > bdi, li > s { grid-column: 3; justify-self: start; text-align: left; }
        .ch { grid-area: 1 / 1; font-weight: 650; color: var(--good); position: relative; }
        .cell li.more, .cell .told li { display: block; }
        .signs li { display: flex; gap: 6px; }
        .signs b { color: var(--ink); }
        li.new { font-weight: 600; }
        .cell li:not(.new, .gone, .more), .whole .views li:not(.new, .gone) { color: var(--quiet); }
        .a::before { color: var(--ink); }
        li.gone { color: var(--quiet); }
        li.gone .ch { color: var(--bad); }
        li.more { color: var(--quiet); font-style: italic; }
        .told { margin-top: 4px; border-left: 2px solid var(--hair); padding-left: 8px; font-size: 12px; color: var(--quiet); }
        .cell .told li { padding: 0; }
        .counts, .clocks { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; }
        .counts div, .clocks div { display: flex; gap: 5px; align-items: baseline; }
        .counts dt, .clocks dt { font-weight: 400; font-size: 12px; }
        .counts dd { color: var(--quiet); }
        .counts .new dd { color: var(--ink); font-weight: 700; }
        .hot { background: var(--new); box-shadow: 0 0 0 3px var(--new); border-radius: 1px; }

        .whole { padding: 4px 0 16px; }
        .views { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px 20px; margin-bottom: 12px; font-size: 13px; }
        .clocks { margin-top: 12px; color: var(--quiet); font-size: 12px; }

        """

    private static let wide = """
        @media (min-width: 1180px) {
          main { padding: 64px 40px 120px; }
          h1 { font-size: 46px; } h2 { font-size: 36px; }
          .line { --lane: min(34px, calc(280px / var(--n))); --y: 17px; }
          .line.roomy { --lane: clamp(92px, calc(410px / var(--n)), 104px); --x0: 13px; }
          .row { column-gap: 0; }
          .row.head, .event {
            grid-template-columns: var(--all) minmax(15rem, 1.7fr) repeat(4, minmax(0, 1fr)) 86px;
          }
          .lanes { grid-row: 1; }
          .row.head .cell, .row.head .what { display: block; padding: 8px 0 8px 11px; align-self: end; font-size: 11px; }
          .row.head { border-bottom: 1px solid var(--ink); margin-bottom: 0; }
          .row.head .what { padding-left: 20px; }
          .roomy .row.head b { justify-content: flex-start; padding-left: 24px; }
          .roomy .row.head span { writing-mode: initial; transform: none; padding: 2px 0; line-height: 1.3; white-space: normal; }
          .event > details { grid-column: 2; grid-row: 1; padding: 0 16px 0 20px; }
          .text { flex: 1 1 0; }
          .out, .what .bad { padding-left: 27px; }
          .event > .cell, .event > .cell:empty {
            grid-column: auto; grid-row: 1; display: block; padding: 8px 6px 10px 10px; border-left: 1px solid var(--hair);
          }
          .event > .cell > h4 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .event:hover .what > summary .text { text-decoration-color: var(--quiet); }
          .counts { display: grid; grid-template-columns: 1fr; gap: 0; }
          .counts div { justify-content: space-between; }
          .whole .counts { display: flex; gap: 2px 14px; }
          .say { padding: 3px 16px 3px 20px; }
          .day { display: inline-block; margin-right: 14px; }
          .say > em { display: inline-block; margin-right: 14px; }
          .roomy .boundary .say, .roomy .dates .say { color: var(--quiet); }
          .roomy .day:not(.odd) { display: none; }
          .roomy .lanes i { padding: 0 2px 0 24px; font-size: 12px; line-height: 17px; }
          .roomy .lanes i b, .roomy .lanes i em, .roomy .lanes i > small { display: block; }
          .roomy .lanes i span small { display: inline; font-size: 10px; }
          .roomy .lanes i b { font-size: 11.5px; font-weight: 650; padding-top: 4px; white-space: nowrap; }
          .roomy .lanes i em { font-size: 11px; line-height: 14px; padding-bottom: 3px; }
          .roomy .lanes i small { font-size: 11px; color: var(--quiet); line-height: 14px; padding-bottom: 3px; }
          .roomy .lanes i span { display: block; color: var(--quiet); padding-top: 9px; white-space: nowrap; }
          .roomy .crash .lanes i span, .roomy .travel .lanes i span { padding-top: 26px; }
          .asleep .lanes i span, .asleep .lanes i > small, .roomy .lanes i.on span, .roomy .lanes i.in span { color: var(--ink); }
          .roomy .what time { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .roomy .what { position: relative; }
        }

        """

    private static let print = """
        @media print {
          :root {
            --paper: #fff; --ink: #000; --quiet: #444; --hair: #bbb; --a: #f4f4f4; --b: #e4e4e4; --path: #1f4b73;
            --bad: #a3221a; --warn: #704400; --good: #2c6136; --new: #eee; --night: #64748b26;
          }
          body { font-size: 10pt; }
          main { padding: 0; }
          .tools, .kind a, .what > summary::after { display: none; }
          .row { break-inside: avoid; }
          .row.head { position: static; }
          .story { break-before: page; }
          .story:first-child { break-before: auto; }
          .lanes, .lanes * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }
        """
}
