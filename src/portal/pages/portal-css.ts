/** The style sheet: light and dark by the user's setting, mobile first. */
export const portalCss = `
:root{
  color-scheme:light dark;
  --paper:#f6f7f6;--card:#fff;--ink:#16211d;--soft:#51605a;--line:#d5dcd8;--field:#76857e;
  --brand:#0b6b4f;--brand-ink:#fff;--brand-dark:#084f3b;--link:#0a5f8a;
  --good:#0a5c3c;--good-paper:#dcf2e7;--bad:#9a1c1c;--bad-paper:#fbe4e2;--open:#6a4700;--open-paper:#fdf0d2;--back:#4a3a8c;--back-paper:#e9e5fa;
  --note:#6a4700;--note-paper:#fdf0d2;
}
@media (prefers-color-scheme:dark){:root{
  --paper:#101614;--card:#18211e;--ink:#e8efec;--soft:#a9b8b1;--line:#33413b;--field:#7f9189;
  --brand:#3ecf9f;--brand-ink:#06251b;--brand-dark:#6fe0bb;--link:#7cc4ec;
  --good:#7fe0b4;--good-paper:#12392a;--bad:#ffb1a8;--bad-paper:#4a1b18;--open:#f4cf7d;--open-paper:#43330c;--back:#c8bcff;--back-paper:#2f2757;
  --note:#f4cf7d;--note-paper:#43330c;
}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:68rem;margin:0 auto;padding:1.5rem 1rem 3rem;outline:none}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 1rem;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center;overflow-wrap:anywhere}
h2{font-size:1.15rem;line-height:1.3;margin:1.75rem 0 .5rem}
h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:0 0 .75rem;max-width:42rem}
a{color:var(--link)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em;overflow-wrap:anywhere}
pre{overflow-x:auto;max-width:100%;padding:.75rem;border:1px solid var(--line);border-radius:6px;background:var(--paper)}
pre code{overflow-wrap:normal}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999rem}
.skip:focus{position:static;display:inline-block;padding:.5rem 1rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.sandbox{margin:0;max-width:none;padding:.3rem 1rem;background:var(--note-paper);color:var(--note);text-align:center;font-size:.875rem}
.top{background:var(--card);border-bottom:1px solid var(--line)}
.bar,.pages,footer{max-width:68rem;margin:0 auto;padding:.5rem 1rem;display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center}
.brand{font-weight:700;font-size:1.2rem;color:var(--brand);text-decoration:none;padding:.25rem 0}
.merchant{font-weight:600;overflow-wrap:anywhere}
.account{margin-left:auto;display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline}
.account a,.pages a,.tabs a{color:var(--ink);text-decoration:none;padding:.35rem 0;border-bottom:3px solid transparent}
.account a:hover,.pages a:hover,.tabs a:hover{border-color:var(--line)}
.account a[aria-current],.pages a[aria-current],.tabs a[aria-current]{border-color:var(--brand);font-weight:600}
.pages{padding-top:0;padding-bottom:0;gap:0 1.5rem}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-bottom:.5rem}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}
footer form{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center}
footer button[aria-current]{font-weight:700;text-decoration:none}
.narrow{max-width:26rem;margin:1rem auto}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.1rem;margin:0 0 1.25rem}
.card>h2:first-child{margin-top:0}
label,legend{display:block;font-weight:600;margin:0 0 .25rem}
fieldset{border:0;padding:0;margin:0 0 1rem}legend{padding:0}
input:not([type=radio]):not([type=checkbox]):not([type=hidden]),select,textarea{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--field);border-radius:6px;padding:.5rem .6rem;margin:0 0 1rem;min-height:2.75rem}
select{padding-inline:.4rem .2rem}
.choice{display:flex;gap:.6rem;align-items:flex-start;font-weight:400;padding:.25rem 0}
.choice input{margin:.25rem 0 0;width:1.15rem;height:1.15rem;accent-color:var(--brand);flex:none}
button,.button{display:inline-block;font:inherit;font-weight:600;text-decoration:none;cursor:pointer;border:1px solid var(--brand);background:var(--brand);color:var(--brand-ink);border-radius:6px;padding:.5rem 1.1rem;min-height:2.75rem}
button:hover,.button:hover{background:var(--brand-dark);border-color:var(--brand-dark)}
button.quiet,.button.quiet{background:transparent;color:var(--ink);border-color:var(--field)}
button.quiet:hover,.button.quiet:hover{background:var(--paper)}
button.danger{color:var(--bad);border-color:var(--bad)}
button.link{background:none;border:0;padding:.35rem 0;min-height:0;color:var(--link);text-decoration:underline;font-weight:400}
.hint{color:var(--soft);font-size:.9rem;margin:0 0 .4rem}
.problem,.done,.note{border-radius:8px;padding:.75rem 1rem;margin:0 0 1.25rem;border-left:5px solid}
.problem{background:var(--bad-paper);color:var(--bad);border-color:var(--bad)}
.problem h2{margin:0 0 .25rem;font-size:1rem}
.problem p{margin:0}.problem a{color:inherit}
.done{background:var(--good-paper);color:var(--good);border-color:var(--good)}
.note{background:var(--note-paper);color:var(--note);border-color:var(--note)}
.empty{border:1px dashed var(--field);border-radius:10px;padding:1.5rem;text-align:center;margin:1rem 0}
.empty h2,.empty h3{margin:0 0 .5rem;font-size:1.1rem}.empty p{margin:0 auto}
.actions,.line{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.line select{width:auto;margin:0}
.actions{margin-top:.5rem}
.inline{display:inline}
.places,.rows,.tiles{list-style:none;margin:0 0 1.25rem;padding:0}
.places li{padding:.6rem 0;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:.1rem 1rem;align-items:baseline}
.places a{font-weight:600;overflow-wrap:anywhere}
.rows.card{padding:0 1.1rem}
.rows li{padding:.9rem 0;border-bottom:1px solid var(--line)}
.rows li:last-child{border-bottom:0}
.rows p{overflow-wrap:anywhere}
dl{margin:0}
.rows dl,.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));gap:.5rem 1.5rem}
dt{color:var(--soft);font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));gap:.75rem}
.tiles li{margin:0;display:flex;flex-direction:column;align-items:flex-start}
.tiles strong{font-size:1.3rem;font-variant-numeric:tabular-nums}
.filters{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,9.5rem),1fr));gap:0 1rem;align-items:end}
.filters .wide{grid-column:1/-1}
.filters .wide input{margin-bottom:.25rem}
.filters .buttons{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding-bottom:1rem}
.pager{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin-top:1rem}
.pager a,.places a{padding:.25rem 0}
table{width:100%;border-collapse:collapse;background:var(--card);border:1px solid var(--line);border-radius:10px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.55rem .75rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
tbody tr:last-child>*{border-bottom:0}
thead th{overflow-wrap:normal;color:var(--soft);font-size:.875rem;font-weight:600}
.number{text-align:right;white-space:nowrap}
thead .number{white-space:normal}
.state{display:inline-block;border-radius:999px;padding:.05rem .65rem;font-size:.875rem;font-weight:600;line-height:1.5}
.good.state{background:var(--good-paper);color:var(--good)}
.bad.state{background:var(--bad-paper);color:var(--bad)}
.open.state{background:var(--open-paper);color:var(--open)}
.back.state{background:var(--back-paper);color:var(--back)}
.amount{font-variant-numeric:tabular-nums}
.sentence{font-size:1.1rem;margin-bottom:1.25rem}
.sentence p{margin:0 0 .25rem}
.story{list-style:none;margin:0;padding:0 0 0 .4rem}
.story li{position:relative;padding:0 0 .9rem 1.4rem;border-left:2px solid var(--line)}
.story li:last-child{border-color:transparent;padding-bottom:0}
.story li::before{content:"";position:absolute;left:-.46rem;top:.4rem;width:.8rem;height:.8rem;border-radius:50%;background:var(--field);border:2px solid var(--card)}
.story .good::before{background:var(--good)}.story .bad::before{background:var(--bad)}.story .back::before{background:var(--back)}
.when{color:var(--soft);font-size:.875rem;margin-right:.5rem}
.what{font-weight:600}
.evidence{display:block;color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
time{white-space:nowrap}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:0 1.25rem}
figure{margin:1.25rem 0}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 1.5rem}
.charts figure{margin:.5rem 0}
.chart{display:block;width:100%;height:6rem;margin-top:.4rem;border-bottom:1px solid var(--field)}
.chart .in,.chart .good{fill:var(--brand)}.chart .out{fill:var(--back)}.chart .bad{fill:var(--bad)}.chart .open{fill:var(--open)}
.axis{display:flex;justify-content:space-between;gap:.5rem;max-width:none;margin:.25rem 0 0}
table+.card{margin-top:1.25rem}
table+.hint{margin-top:.5rem}
.card>h3:first-child{margin-top:0}
.legend{display:inline-flex;flex-wrap:wrap;gap:0 .9rem;margin-inline-start:.75rem}
.legend span::before{content:"";display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-right:.35rem;background:var(--brand)}
.legend .key-out::before{background:var(--back)}.legend .key-bad::before{background:var(--bad)}.legend .key-open::before{background:var(--open)}
.qr{background:#fff;border:1px solid var(--line);border-radius:8px;width:13rem;max-width:100%;padding:.25rem;margin:0 0 1rem}
.qr svg{display:block;width:100%;height:auto}
.key{font-size:1.05rem;letter-spacing:.03em}
.codes{columns:2 10rem;padding-left:2.2rem}
.codes li{padding:.2rem 0}
.numbers dt{color:var(--ink);font-size:1rem}
textarea{resize:vertical;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.card dt+dd{margin-bottom:.5rem}
details{margin:.5rem 0}
summary{cursor:pointer;padding:.35rem 0}
@media (max-width:40rem){
  .stack thead{display:none}
  .stack,.stack tbody,.stack tr,.stack td,.stack tbody th{display:block;width:100%}
  .stack tr{border-bottom:1px solid var(--line);padding:.5rem 0}
  .stack tbody tr:last-child{border-bottom:0}
  .stack td,.stack tbody th{border:0;padding:.15rem .9rem;text-align:left;white-space:normal;display:flex;justify-content:space-between;gap:1rem}
  .stack td::before{content:attr(data-label);color:var(--soft);font-size:.875rem;flex:0 0 auto;max-width:45%;overflow-wrap:normal}
  .stack td.long{display:block}
  .stack td.long::before{display:block;max-width:none}
  .filters{grid-template-columns:repeat(2,minmax(0,1fr));gap:0 .6rem}
  .filters label{overflow-wrap:anywhere}
  .filters .field:has(input[type=date]){grid-column:1/-1}
  .stack .number{white-space:nowrap}
  .stack .number::before{white-space:normal}
  .stack td:empty{display:none}
  .account{margin-left:0;width:100%}
  .account,.pages{font-size:.9375rem}
  .bar{padding-top:.25rem;padding-bottom:0}
  .pages{gap:0 .9rem}
  .pages a,.account a{padding:.25rem 0}
}
`;
