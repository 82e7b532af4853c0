/** The look of a report: light and dark by the reader's own setting, one column on a phone. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #5c6670; --page: #ffffff; --card: #f5f6f8; --line: #d9dde2;
  --gain: #14804a; --loss: #c0362c; --price: #2f5fd0; --mark: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --quiet: #9aa4af; --page: #14171b; --card: #1d2127;
  --line: #333a43; --gain: #4cc38a; --loss: #f0786b; --price: #7ea2ff; --mark: #e0ae4a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2rem) 4rem; max-width: 76rem; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 0.6rem; }
header p, .note { color: var(--quiet); margin: 0.2rem 0 0.8rem; }
.headlines { display: grid; grid-template-columns: repeat(auto-fit, minmax(max(9.4rem, 22%), 1fr)); gap: 0.6rem; margin: 1rem 0; }
.headlines div { background: var(--card); border-radius: 0.5rem; padding: 0.6rem 0.8rem; min-width: 0; }
.headlines dt { color: var(--quiet); font-size: 0.8rem; }
.headlines dd { margin: 0; font-size: 1.15rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.gain { color: var(--gain); } .loss { color: var(--loss); }
.scrolled { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
thead th { color: var(--quiet); font-weight: 500; } tbody th { font-weight: 500; } thead th:not(:first-child) { text-align: right; }
.number { text-align: right; } .meaning { color: var(--quiet); white-space: normal; min-width: 16rem; }
.code { font-family: ui-monospace, monospace; white-space: normal; overflow-wrap: anywhere; }
.heat td, .heat th { text-align: right; }
.chart { width: 100%; min-height: 8rem; } .chart + .chart { margin-top: 0.4rem; }
.warnings { border-left: 4px solid var(--mark); background: var(--card); margin: 1rem 0; padding: 0.7rem 1rem 0.7rem 2rem; }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 0.3rem; padding: 0.2rem 0.4rem; }
.windows div { display: grid; grid-template-columns: minmax(6rem, 13rem) 1fr; gap: 0.6rem; align-items: center; margin: 0.2rem 0; }
.windows span { font-size: 0.8rem; font-variant-numeric: tabular-nums; color: var(--quiet); }
.windows b { position: relative; height: 1.1rem; background: var(--card); border-radius: 0.2rem; overflow: hidden; }
.windows i { position: absolute; top: 0; bottom: 0; } .windows .inside { background: var(--line); }
.windows .outside.gain { background: var(--gain); } .windows .outside.loss { background: var(--loss); }
.windows .outside.idle { background: var(--quiet); opacity: 0.4; }
.u-legend { color: var(--ink); font-size: 0.8rem; } .u-legend th, .u-legend td { border: 0; padding: 0 0.15rem; }
@media (max-width: 36rem) { .figures tr { display: grid; grid-template-columns: 1fr auto; border-bottom: 1px solid var(--line); }
  .figures th, .figures td { border: 0; white-space: normal; } .figures .meaning { grid-column: 1 / -1; min-width: 0; padding-top: 0; }
  .figures .code { grid-column: 1 / -1; padding-top: 0; } }
`;
