/**
 * A page of the documentation: plain HTML with one style sheet, and links that work in any folder. Its script adds search
 * and copying; without the script everything can still be read.
 */
import { Eta } from 'eta';

const eta = new Eta({ autoEscape: true, autoTrim: false });
export const template = (text: string) => eta.compile(text);
export type Drawing = ReturnType<typeof template>;
export const draw = (drawing: Drawing, data: object): string => eta.render(drawing, data);

export interface Page {
  /** Without a leading slash: `guides/webhooks.html`. */
  path: string;
  title: string;
  /** HTML; texts from others must be escaped. */
  content: string;
}

type Linked = Pick<Page, 'path' | 'title'>;

export interface Group {
  title: string;
  pages: readonly Linked[];
}

/** The start of every page, with `title` and the path to the `root` of the site. */
export const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.title %> · Malipo</title>
<link rel="stylesheet" href="<%= it.root %>style.css">
<script src="<%= it.root %>site.js" defer></script>
</head>`;

/** The script fills it with the search field. */
export const searchPlace = '<div id="search" role="search"></div>';

const frame = template(`${head}
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a class="brand" href="<%= it.root %>index.html">Malipo</a> <span>documentation</span> <a class="pages" href="#pages">All pages</a>${searchPlace}</header>
<main id="main" tabindex="-1">
<%~ it.content %>
<% if (it.before || it.after) { %><p class="beside">
<% if (it.before) { %><a rel="prev" href="<%= it.root + it.before.path %>">Previous: <%= it.before.title %></a><% } %>
<% if (it.after) { %><a rel="next" href="<%= it.root + it.after.path %>">Next: <%= it.after.title %></a><% } %>
</p><% } %>
</main>
<nav id="pages" aria-label="Pages">
<% for (const group of it.groups) { %><h2><%= group.title %></h2>
<ul>
<% for (const page of group.pages) { %><li><a href="<%= it.root + page.path %>"<% if (page.path === it.path) { %> aria-current="page"<% } %>><%= page.title %></a></li>
<% } %></ul>
<% } %></nav>
</body>
</html>
`);

/** @param series the pages that are read one after the other; each links the one before it and the one after it. */
export function framed(page: Page, groups: readonly Group[], series: readonly Linked[]): string {
  const root = '../'.repeat(page.path.split('/').length - 1);
  const place = series.findIndex(({ path }) => path === page.path);
  const beside = place < 0 ? {} : { before: series[place - 1], after: series[place + 1] };
  return draw(frame, { ...page, groups, root, ...beside });
}

export const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:light-dark(#0b57d0,#8ab4f8);--page:light-dark(#fff,#121212);--shade:light-dark(#0006,#fff7);font:1rem/1.6 system-ui,sans-serif}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:light-dark(#1f2328,#e8eaed);display:grid;grid-template-columns:17rem minmax(0,1fr);grid-template-rows:auto 1fr;min-height:100vh}
header{grid-area:1/1/2/3;padding:.75rem 1.5rem;border-bottom:1px solid var(--line)}
.pages{display:none;float:right}
.brand{font-weight:700;text-decoration:none;color:inherit}
nav{grid-area:2/1;padding:1rem 1.5rem;border-right:1px solid var(--line);font-size:.9rem}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.05em;margin:1rem 0 .25rem}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.15rem 0}
nav a[aria-current]{font-weight:700}
main{grid-area:2/2;padding:1rem 2rem 4rem;max-width:60rem;outline:0}
a{color:var(--link)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:.5rem;top:.5rem;background:Canvas;padding:.5rem}
h1,h2,h3,h4{line-height:1.25;overflow-wrap:anywhere}
h2{margin-top:2.5rem}
section{border-top:1px solid var(--line);margin-top:2rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{background:var(--soft);padding:.1em .3em;border-radius:.2em;overflow-wrap:anywhere}
pre{background:var(--soft);padding:1rem;overflow-x:auto;border-radius:.4rem}
pre code{background:none;padding:0;overflow-wrap:normal}
.scroll{overflow-x:auto;background:linear-gradient(to right,var(--page) 1rem,transparent) left/2.5rem 100% local,linear-gradient(to left,var(--page) 1rem,transparent) right/2.5rem 100% local,linear-gradient(to right,var(--shade),transparent) left/.9rem 100% scroll,linear-gradient(to left,var(--shade),transparent) right/.9rem 100% scroll;background-repeat:no-repeat;background-color:var(--page)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
td code{overflow-wrap:normal}
.beside{display:flex;flex-wrap:wrap;gap:.5rem 2rem;justify-content:space-between;border-top:1px solid var(--line);margin-top:3rem;padding-top:1rem}
.beside a[rel=next]{margin-left:auto}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#search{position:relative;float:right;width:18rem}
#search:empty{display:none}
#search input{width:100%;font:inherit;padding:.25rem .6rem;border:1px solid light-dark(#767676,#9aa0a6);border-radius:.3rem;background:var(--page);color:inherit}
#search ol{position:absolute;z-index:2;right:0;top:100%;width:min(30rem,calc(100vw - 2rem));max-height:70vh;overflow-y:auto;margin:.25rem 0 0;padding:0;list-style:none;background:var(--page);border:1px solid var(--line);border-radius:.3rem;box-shadow:0 .3rem 1rem #0004}
#search ol:empty{display:none}
#search li a{display:block;padding:.4rem .75rem;text-decoration:none;overflow-wrap:anywhere}
#search li a:hover,#search li a:focus{background:light-dark(#e8f0fe,#28354a)}
#search li span{display:block;font-size:.8rem;color:light-dark(#1f2328,#e8eaed)}
.sample{position:relative}
.sample pre{padding-right:5.5rem}
.copy{position:absolute;top:.5rem;right:.5rem;font:inherit;font-size:.8rem;padding:.2rem .7rem;border:1px solid var(--line);border-radius:.3rem;background:var(--page);color:inherit;cursor:pointer}
.reference{display:block}
.reference main{max-width:none;padding:0}
.reference h5,.reference h5 *{color:inherit!important}
.reference h5{opacity:.75}
.reference button svg polygon{fill:currentColor!important}
.reference .react-tabs__tab--selected{color:#1f2328!important}
@media (max-width:50rem){body{display:block}nav{border:0;border-top:1px solid var(--line)}main{padding:1rem}.pages{display:inline}td{min-width:7rem}#search{float:none;width:auto;margin-top:.5rem}#search ol{left:0;width:auto}.sample pre{padding:3rem 1rem 1rem}}
`;
