/** A page of the documentation: plain HTML with one style sheet, nothing that runs, and links that work in any folder. */
import { Eta } from 'eta';

const eta = new Eta({ autoEscape: true, autoTrim: false });
export const template = (text: string) => eta.compile(text);
export type Drawing = ReturnType<typeof template>;
export const draw = (drawing: Drawing, data: object): string => eta.render(drawing, data);

export interface Page {
  /** Without a slash before it: `guides/webhooks.html`. */
  path: string;
  title: string;
  /** HTML, escaped where it shows what others wrote. */
  content: string;
}

export interface Group {
  title: string;
  pages: readonly Pick<Page, 'path' | 'title'>[];
}

/** How every page begins, with `title` and the way to the `root` of the site. */
export const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.title %> · Malipo</title>
<link rel="stylesheet" href="<%= it.root %>style.css">
</head>`;

const frame = template(`${head}
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a class="brand" href="<%= it.root %>index.html">Malipo</a> <span>documentation</span> <a class="pages" href="#pages">All pages</a></header>
<main id="main" tabindex="-1">
<%~ it.content %>
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

export function framed(page: Page, groups: readonly Group[]): string {
  const root = '../'.repeat(page.path.split('/').length - 1);
  return draw(frame, { ...page, groups, root });
}

export const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881;--link:light-dark(#0b57d0,#8ab4f8);font:1rem/1.6 system-ui,sans-serif}
*{box-sizing:border-box}
body{margin:0;background:light-dark(#fff,#121212);color:light-dark(#1f2328,#e8eaed);display:grid;grid-template-columns:17rem minmax(0,1fr);grid-template-rows:auto 1fr;min-height:100vh}
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
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
td code{overflow-wrap:normal}
.reference{display:block}
.reference main{max-width:none;padding:0}
.reference h5,.reference h5 *{color:inherit!important}
.reference h5{opacity:.75}
.reference button svg polygon{fill:currentColor!important}
.reference .react-tabs__tab--selected{color:#1f2328!important}
@media (max-width:50rem){body{display:block}nav{border:0;border-top:1px solid var(--line)}main{padding:1rem}.pages{display:inline}td{min-width:7rem}}
`;
