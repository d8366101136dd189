/** The style of the payment page: plain, so that it fits any merchant's site. */
export const styleSheet = `
:root {
  color-scheme: light dark;
  --ground: #eef1f4; --surface: #ffffff; --text: #17202b; --quiet: #56616e; --line: #cfd6de; --strong-line: #7b8794;
  --accent: #0b5cab; --accent-text: #ffffff; --chosen: #eaf2fb; --good: #0b6b43; --good-ground: #e4f5ec;
  --bad: #a3261d; --bad-ground: #fdecea; --warn-ground: #fff1c9; --warn-text: #5a4200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10151b; --surface: #1a2129; --text: #e8edf2; --quiet: #a6b2be; --line: #333e49; --strong-line: #8794a1;
    --accent: #6db3f7; --accent-text: #061422; --chosen: #1d3047; --good: #4fd095; --good-ground: #12291f;
    --bad: #ff9a90; --bad-ground: #351a18; --warn-ground: #3d3107; --warn-text: #ffe39a;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.banner { margin: 0; padding: .55rem 1rem; background: var(--warn-ground); color: var(--warn-text); text-align: center; font-size: .9rem; }
main { width: 100%; max-width: 30rem; margin: 0 auto; padding: 1rem; }
.summary { padding: .25rem .25rem 1rem; }
h1 { margin: 0; font-size: 1rem; font-weight: 600; color: var(--quiet); line-height: 1.3; }
h1 .asked { display: block; }
h1 .amount { color: var(--text); font-size: 1.9rem; font-weight: 700; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.what { margin: .2rem 0 0; overflow-wrap: anywhere; }
.reference { margin: .1rem 0 0; font-size: .875rem; color: var(--quiet); }
.reference span { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.said { margin: 0 0 1rem; padding: .7rem .9rem; border-radius: .6rem; background: var(--good-ground); color: var(--good); font-weight: 600; }
.said.bad { background: var(--bad-ground); color: var(--bad); }
.said:empty { padding: 0; margin: 0; }
.onward { margin: 0; }
.onward a { display: block; margin: 0 0 1rem; padding: .8rem; border-radius: .6rem; text-align: center; font-weight: 600; color: var(--accent); border: 1px solid var(--strong-line); background: var(--surface); }
.tabs { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem; margin-bottom: .75rem; }
.tabs button { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: .25rem; min-height: 4.25rem; padding: .5rem .25rem; font-size: .875rem; line-height: 1.2; }
.tabs button[aria-selected=true] { border: 2px solid var(--accent); background: var(--chosen); color: var(--accent); }
svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: .8rem; padding: 1rem; margin-bottom: .75rem; }
.panel h2 { margin: 0 0 .4rem; font-size: 1.1rem; }
.tabbed .panel h2 { display: none; }
/* What the script will do, from the first moment: nothing may move under a finger. */
@media (scripting: enabled) {
  #checkout:not(.tabbed) .tabs { display: grid !important; }
  #checkout:not(.tabbed) :is(.panel h2, .panel:not(#panel-card)) { display: none; }
}
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
legend { padding: 0; margin-bottom: .4rem; font-weight: 600; }
.instrument { display: grid; grid-template-columns: auto 1fr; align-items: center; column-gap: .75rem; padding: .6rem .8rem; margin-bottom: .5rem; border: 1px solid var(--strong-line); border-radius: .6rem; cursor: pointer; }
.instrument:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); background: var(--chosen); }
.instrument input { grid-row: span 2; width: 1.2rem; height: 1.2rem; margin: 0; accent-color: var(--accent); }
.instrument .name { font-weight: 600; }
.instrument .shown { color: var(--quiet); font-size: .9rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .4rem .8rem; border-radius: .6rem; border: 1px solid var(--strong-line); background: var(--surface); color: var(--text); cursor: pointer; }
button:hover { border-color: var(--accent); }
button.pay { width: 100%; min-height: 3.25rem; font-size: 1.05rem; background: var(--accent); border-color: var(--accent); color: var(--accent-text); overflow-wrap: anywhere; }
button.pay:hover { filter: brightness(1.08); }
.trial { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin-top: 1rem; padding-top: .75rem; border-top: 1px dashed var(--strong-line); }
.trial p { grid-column: 1 / -1; margin: 0; font-size: .8rem; color: var(--quiet); }
.trial button { font-size: .9rem; font-weight: 500; }
.leave { text-align: center; }
button.cancel { border-color: transparent; background: none; color: var(--quiet); text-decoration: underline; font-weight: 500; }
[aria-busy=true] { opacity: .6; cursor: progress; }
[aria-busy=true] button { cursor: progress; }
.ending { background: var(--surface); border: 1px solid var(--line); border-radius: .8rem; padding: 1.5rem 1rem; text-align: center; }
.ending svg { width: 3rem; height: 3rem; }
.ending h2, .ending h1 { margin: .3rem 0; font-size: 1.25rem; color: inherit; }
.ending.good svg, .ending.good h2 { color: var(--good); }
.ending .onward a { margin: 1rem 0 0; }
footer { display: flex; justify-content: center; align-items: center; gap: .35rem; padding: 0 1rem 1.25rem; color: var(--quiet); font-size: .8rem; }
footer svg { width: 1rem; height: 1rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.said:focus { outline: none; }
.instrument:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.instrument input:focus-visible { outline: none; }
@media (forced-colors: active) { .tabs button[aria-selected=true] { border-width: 4px; } }
`;
