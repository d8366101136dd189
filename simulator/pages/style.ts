/** One style sheet for all pages of the simulator. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ground: #f4f6f5; --surface: #ffffff; --text: #16211c; --quiet: #52605a; --line: #d7dedb;
  --accent: #0b6b43; --accent-text: #ffffff; --danger: #a3261d; --warn-ground: #fff1c9; --warn-text: #5a4200;
  --phone: #1b2320; --screen: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101513; --surface: #19201d; --text: #e8eeeb; --quiet: #a3b1ab; --line: #313b37;
    --accent: #3fbf86; --accent-text: #06130d; --danger: #ff9a90; --warn-ground: #3d3107; --warn-text: #ffe39a;
    --phone: #050807; --screen: #212a26;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--surface); padding: .5rem 1rem; z-index: 2; }
.banner { margin: 0; padding: .6rem 1rem; background: var(--warn-ground); color: var(--warn-text); text-align: center; font-size: .95rem; }
.top { padding: .9rem 1rem; border-bottom: 1px solid var(--line); background: var(--surface); }
.brand { color: var(--text); font-weight: 700; text-decoration: none; display: block; max-width: 62rem; margin: 0 auto; }
.brand span { color: var(--quiet); font-weight: 400; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
main:focus { outline: none; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; }
p { margin: .4rem 0; }
a { color: var(--accent); }
.quiet { color: var(--quiet); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code, pre { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; overflow-x: auto; text-align: left; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; background: var(--surface); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .55rem .8rem; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
th { font-size: .85rem; color: var(--quiet); font-weight: 600; }
td code { white-space: nowrap; }
td.wrap code { white-space: normal; }
.said { min-height: 1.5rem; font-weight: 600; color: var(--accent); }
.offline { color: var(--danger); font-weight: 600; }
.prompts { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); }
.phone { background: var(--phone); border-radius: 2rem; padding: 1.9rem .8rem 1.4rem; max-width: 23rem; width: 100%; position: relative; box-shadow: 0 6px 20px rgb(0 0 0 / .18); }
.phone::before { content: ""; position: absolute; top: .85rem; left: 50%; width: 4.5rem; height: .35rem; margin-left: -2.25rem; border-radius: 1rem; background: #4a5651; }
.screen { background: var(--screen); border-radius: 1.1rem; padding: 1.1rem; }
.screen h2 { margin: 0; font-size: .95rem; font-weight: 600; color: var(--quiet); }
.amount { font-size: 2rem; font-weight: 700; line-height: 1.2; margin: .3rem 0 .6rem; font-variant-numeric: tabular-nums; }
.facts { margin: 0 0 .8rem; display: grid; grid-template-columns: auto 1fr; gap: .2rem .9rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; text-align: right; font-weight: 600; overflow-wrap: anywhere; }
progress { width: 100%; height: .45rem; appearance: none; border: 0; border-radius: 1rem; overflow: hidden; background: var(--line); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.left { font-size: .875rem; color: var(--quiet); margin: .15rem 0 .9rem; font-variant-numeric: tabular-nums; }
.buttons { display: grid; grid-template-columns: 1fr 1fr; gap: .6rem; }
button { font: inherit; font-weight: 600; min-height: 2.9rem; border-radius: .7rem; border: 1px solid var(--line); background: var(--surface); color: var(--text); cursor: pointer; }
button.pay { grid-column: 1 / -1; background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
button.cancel { color: var(--danger); }
button:disabled { opacity: .55; cursor: progress; }
.empty { background: var(--surface); border: 1px dashed var(--line); border-radius: 1rem; padding: 1.6rem 1.2rem; margin-top: 1rem; }
.empty h2 { margin-top: 0; }
.facts.mail { grid-template-columns: max-content 1fr; }
.facts.mail dd { text-align: left; }
pre.mail { background: var(--surface); white-space: pre-wrap; overflow-wrap: anywhere; }
`;
