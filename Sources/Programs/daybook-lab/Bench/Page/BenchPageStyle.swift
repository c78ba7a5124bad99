import CommandSupport

/// How the page looks: the paper, ink and letters of the page of stories (Simulation/Page), charts, tables.
enum BenchPageStyle {
    /// Everything, in the order in which it has to stand.
    static let text = colors + type + head + tables + charts + middle + wide + print

    /// Colours that mean something, never alone.
    private static let colors = """

        :root {
          color-scheme: light dark;
          --paper: #fdfcf8; --ink: #1c1b19; --quiet: #656158; --hair: #dfdbd0; --a: #f0ece2; --b: #e2ddd0;
          --path: #1f4b73; --soft: #1f4b7330; --bad: #a3221a; --warn: #855000; --good: #2c6136;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #151618; --ink: #e7e4dd; --quiet: #a5a096; --hair: #34363c; --a: #212429; --b: #2a2d33;
            --path: #86b7e8; --soft: #86b7e838; --bad: #ff958b; --warn: #e8b761; --good: #90d29c;
          }
        }

        """

    private static let type = """
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
          font: 400 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
          font-variant-numeric: tabular-nums lining-nums;
        }
        main { max-width: 1320px; margin: 0 auto; padding: 32px 16px 80px; }
        h1, h2, .highlights dd {
          font: 400 32px/1.15 "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia,
            "Liberation Serif", serif;
          letter-spacing: -0.01em; margin: 0 0 12px; text-wrap: balance;
        }
        h1 { max-width: 22em; }
        h2 { font-size: 26px; }
        h3 { font-size: 13px; font-weight: 400; margin: 0 0 4px; }
        p, ul, dl, dd, figure { margin: 0; padding: 0; }
        ul { list-style: none; }
        code { font: 12px/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
        dt, thead th, .kind { font-size: 12px; font-weight: 400; color: var(--quiet); }
        :focus-visible { outline: 2px solid var(--path); outline-offset: 2px; border-radius: 2px; }
        .quiet { color: var(--quiet); fill: var(--quiet); }
        .bad { color: var(--bad); }
        .unsure { color: var(--warn); }
        .vh {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }

        """

    private static let head = """
        .kind { margin: 0 0 8px; font-size: 13px; }
        h1.worse { color: var(--bad); }
        h1.inconclusive { color: var(--warn); }
        .findings { margin: 20px 0 0; max-width: 60em; }
        .findings li { border-left: 3px solid var(--bad); padding: 4px 0 4px 14px; margin: 0 0 8px; font-size: 15px; }
        .findings li.inconclusive { border-color: var(--warn); }
        .findings b { color: var(--bad); margin-right: 4px; }
        .findings .inconclusive b { color: var(--warn); }
        .highlights { display: grid; grid-template-columns: 1fr 1fr; gap: 20px 16px; margin: 28px 0 0; }
        .highlights div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
        .highlights dd { margin: 0 0 2px; font-size: 30px; }
        .highlights dt { line-height: 1.35; max-width: 20em; }
        .facts {
          display: flex; flex-wrap: wrap; gap: 10px 28px; margin: 28px 0 0; padding: 14px 0 0;
          border-top: 1px solid var(--hair); font-size: 13px;
        }
        .facts div { min-width: 0; }
        section { margin: 56px 0 0; border-top: 1px solid var(--ink); padding-top: 20px; }
        figcaption { color: var(--quiet); font-size: 13px; margin: 16px 0 0; }
        figcaption p { max-width: 56em; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 8px; }
        .legend li { display: flex; gap: 6px; align-items: center; }
        details { margin: 14px 0 0; }
        summary { cursor: pointer; color: var(--path); font-size: 13px; padding: 4px 0; width: max-content; }
        .wide { overflow-x: auto; padding: 4px 0; }

        """

    private static let tables = """
        table { border-collapse: collapse; width: 100%; }
        th { text-align: left; font-weight: 400; }
        td { text-align: right; white-space: nowrap; }
        th code { color: var(--quiet); }
        th code.said { color: inherit; font-size: 13px; }
        tr.worse > th { color: var(--bad); font-weight: 600; }
        .wide th, .wide td { padding: 5px 16px 5px 0; border-top: 1px solid var(--hair); font-size: 13px; }
        .wide thead th { border: 0; white-space: nowrap; text-align: right; }
        .wide thead th:first-child { text-align: left; }
        .wide th { min-width: 9em; }
        .wide thead th:not(:first-child) { min-width: 0; }

        .plot, .plot tbody { display: block; }
        .plot thead { display: block; }
        .plot thead tr { display: block; }
        .plot thead th { display: none; white-space: nowrap; }
        .plot thead th.axis { display: block; }
        .plot tbody tr { display: flex; flex-wrap: wrap; column-gap: 12px; padding: 8px 0 7px; border-top: 1px solid var(--hair); }
        .plot tbody th { order: 1; flex: 1 1 60%; min-width: 0; }
        .plot .under { order: 2; flex: 0 0 auto; }
        .plot .drawn { order: 3; flex: 0 0 100%; }
        .plot tbody td[data-name] { order: 4; font-size: 12px; text-align: left; }
        .plot tbody td:empty { display: none; }
        .plot td[data-name]::before, .counts td[data-name]::before { content: attr(data-name) " "; color: var(--quiet); }
        .share { display: block; height: 10px; background: var(--a); margin: 12px 0 10px; }
        .share i { display: block; height: 100%; background: var(--path); min-width: 2px; }
        .worse .share i { background: var(--bad); }
        .sizes .axis { padding-bottom: 4px; }

        .counts thead { display: none; }
        .counts, .counts tbody { display: block; }
        .counts tr {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(58px, 1fr)); gap: 4px 10px; padding: 9px 0;
          border-top: 1px solid var(--hair);
        }
        .counts th { grid-column: 1 / -1; }
        .counts th code { color: inherit; font-size: 13px; }
        .counts td { text-align: left; font-size: 12px; }
        .counts td::before { display: block; font-size: 11px; }
        .counts td.none, .counts td.zero { color: var(--quiet); }
        .counts td.none { display: none; }
        .counts i { display: block; height: 3px; background: var(--path); opacity: 0.55; margin-top: 2px; }

        """

    private static let charts = """
        svg { display: block; overflow: visible; }
        svg.sign { flex: none; }
        text { fill: var(--ink); font-size: 12px; }
        .tick { fill: var(--quiet); font-size: 11px; }
        .chart .tick { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
        line, path { fill: none; }
        .grid { stroke: var(--hair); stroke-width: 1; }
        .one { stroke: var(--quiet); stroke-width: 1; }
        .beyond { fill: var(--a); }
        .wall { stroke: var(--ink); stroke-width: 2; }
        .limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3; }
        .room { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 1 5; }
        .most { stroke: var(--path); stroke-width: 1.5; }
        .many { stroke: var(--path); stroke-width: 5; opacity: 0.55; }
        .end { stroke: var(--path); stroke-width: 1.5; }
        .mid { fill: var(--path); }
        .floor { fill: var(--paper); stroke: var(--ink); stroke-width: 1.4; }
        tr.worse .many, tr.worse .most, tr.worse .end { stroke: var(--bad); }
        tr.worse .mid { fill: var(--bad); }
        tr.inconclusive .many, tr.inconclusive .end { stroke: var(--warn); }
        tr.inconclusive .mid { fill: var(--warn); }
        .curve { stroke: var(--path); stroke-width: 1.8; stroke-linecap: round; }
        .slope { stroke: var(--quiet); stroke-width: 1.2; stroke-dasharray: 5 4; }
        .lead { stroke: var(--quiet); stroke-width: 1; opacity: 0.6; }
        .band { fill: var(--soft); }
        .stroke { stroke: var(--soft); stroke-width: 5; }
        .worse .curve { stroke: var(--bad); }
        .worse .mid { fill: var(--bad); }
        .worse .label { fill: var(--bad); font-weight: 600; }
        .series.other { color: var(--quiet); }
        .other .curve { stroke: var(--quiet); opacity: 0.7; }
        .other .mid { fill: var(--quiet); }
        .other .band { fill: var(--b); }
        .other .stroke { stroke: var(--b); }
        .series:hover .curve { stroke-width: 3; }
        .series:hover .label { font-weight: 650; }
        .lines { padding: 12px 116px 26px 40px; }
        .lines .label { font-size: 11px; }
        .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); gap: 24px 14px; }
        .panel { min-width: 0; }
        .panel h3 { display: flex; flex-direction: column; }
        .panel h3 b { font-weight: 600; white-space: nowrap; }
        .plotted { padding-left: 40px; }
        .panel .tick { font-size: 10px; }
        .odd { display: none; }

        """

    /// What is no longer a phone: a tablet, and paper.
    private static let middle = """
        @media (min-width: 600px) {
          .highlights { grid-template-columns: repeat(4, auto); justify-content: start; gap: 24px 36px; }
          .odd { display: inline; }
          .lines { padding-right: 180px; padding-left: 60px; }
          .lines .label { font-size: 12px; }
          .panels { grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 28px 24px; }
          .panel h3 { flex-direction: row; justify-content: space-between; gap: 8px; align-items: baseline; }
        }
        @media (min-width: 680px) {
        \(asTable(".against"))\(asTable(".sizes"))
          .plot.sizes .drawn { min-width: 9em; }
          .plot.against tbody th { width: 10em; white-space: nowrap; }
          .plot.against tbody th code:not(.said) { font-size: 13px; color: inherit; }
          .counts { display: table; }
          .counts thead { display: table-header-group; }
          .counts tbody { display: table-row-group; }
          .counts tr { display: table-row; }
          .counts th, .counts td, .counts td.none {
            display: table-cell; padding: 6px 0 6px 10px; vertical-align: top; white-space: nowrap;
          }
          .counts td, .counts tbody th { border-top: 1px solid var(--hair); }
          .counts th:first-child { padding-left: 0; }
          .counts thead th:not(:first-child), .counts td { text-align: right; font-size: 12px; }
          .counts td[data-name]::before { content: none; }
          .counts td.none { color: var(--quiet); }
          .counts i { margin-left: auto; }
        }

        """

    private static let wide = """
        @media (min-width: 940px) {
          main { padding: 56px 40px 100px; }
          h1 { font-size: 44px; } h2 { font-size: 32px; }
          .highlights dd { font-size: 38px; }
        \(asTable(".budgets"))
          .lines { padding-right: 200px; }
          .counts th, .counts td, .counts td.none { padding-left: 18px; }
          .counts td { font-size: 13px; }
          .panels { grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); }
        }
        @media (min-width: 1240px) {
          .plot.budgets tbody th, .plot.sizes tbody th, .plot.against tbody th { width: 20.5em; }
        }

        """

    /// What a phone shows as blocks below each other, as the table that it is.
    private static func asTable(_ name: String) -> String {
        let plot = ".plot" + name
        return """
              \(plot) { display: table; }
              \(plot) thead { display: table-header-group; }
              \(plot) tbody { display: table-row-group; }
              \(plot) tr, \(plot) thead tr, \(plot) tbody tr { display: table-row; }
              \(plot) thead th, \(plot) thead th.axis {
                display: table-cell; text-align: right; padding: 0 0 6px 14px; vertical-align: bottom;
              }
              \(plot) thead th:first-child { text-align: left; padding-left: 0; }
              \(plot) th, \(plot) td, \(plot) tbody td:empty { display: table-cell; border-top: 1px solid var(--hair); }
              \(plot) thead th { border: 0; }
              \(plot) tbody th { width: 15em; padding: 2px 20px 3px 0; line-height: 1.25; }
              \(plot) tbody th code:not(.said) { display: block; font-size: 11px; }
              \(plot) tbody td.drawn, \(plot) thead th.axis { padding: 0; text-align: left; }
              \(plot) thead th.axis { padding-bottom: 6px; }
              \(plot) tbody td[data-name] { text-align: right; padding-left: 14px; font-size: 13px; width: 1%; }
              \(plot) tbody td.under { padding-left: 14px; width: 1%; }
              \(plot) td[data-name]::before { content: none; }
              \(plot) tbody td[data-name="p50"] { font-weight: 600; }

            """
    }

    private static let print = """
        @media print {
          :root {
            --paper: #fff; --ink: #000; --quiet: #444; --hair: #bbb; --a: #f2f2f2; --b: #e0e0e0; --path: #1f4b73;
            --soft: #1f4b7330; --bad: #a3221a; --warn: #704400; --good: #2c6136;
          }
          body { font-size: 10pt; }
          main { padding: 0; }
          section { margin-top: 28px; }
          tr, .panel, .lines, figcaption { break-inside: avoid; }
          h2 { break-after: avoid; }
          details::details-content { content-visibility: visible; block-size: auto; }
          summary { display: none; }
          .wide { overflow: visible; }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        }
        """
}
