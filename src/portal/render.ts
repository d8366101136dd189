/** Renders pages. Every text is escaped, unless a template inserts rendered HTML with `<%~`. */
import { Eta } from 'eta';
import { showControls } from '../domain/controls';
import type { Currency } from '../domain/money';
import { money, moment, percent, utc, wholeNumber, languages } from './format';
import { formNumberField } from './forms';
import { assetUrl } from './pages/assets';
import { zoneOf, type PageResponse, type MerchantPlace, type AnyRole, type Visit } from './visit';
import { railWord, type Word } from './words';

const { escapeFunction: escaped } = new Eta().config;

const eta = new Eta({
  autoEscape: true,
  autoTrim: false,
  // Text from providers may contain control characters that reverse the text beside it.
  escapeFunction: (value: unknown) => escaped(showControls(String(value))),
});

export type Drawing = ReturnType<typeof eta.compile>;

export function template(text: string): Drawing {
  return eta.compile(text);
}

const timeTemplate = template('<time datetime="<%= it.iso %>" title="<%= it.utc %>"><%= it.text %></time>');

/** The helpers of every template. */
function tools(visit: Visit) {
  const { language, t, csrf, session, place } = visit;
  const zone = zoneOf(visit);
  return {
    t,
    language,
    session,
    place,
    base: place ? `/m/${place.merchant.merchant_id}` : '',
    token: eta.render(tokenTemplate, { csrf }),
    /** A new number each time, for every form that changes something. */
    get once() {
      return formNumberField();
    },
    money: (minor: bigint | string, currency: Currency) => money(minor, currency, language),
    count: (n: number) => wholeNumber(n, language),
    /** A rail of a newer version is shown by its own name. */
    railName: (name: string) => railWord(t, name),
    percent: (share: number) => percent(share, language),
    /** The time in the page's time zone, with UTC as tooltip. */
    time: (at: Date | null, withSeconds = false) =>
      at === null
        ? ''
        : eta.render(timeTemplate, {
            iso: at.toISOString(),
            utc: utc(at),
            text: moment(at, zone, language, withSeconds),
          }),
  };
}

const tokenTemplate = template('<input type="hidden" name="csrf" value="<%= it.csrf %>">');

export function draw(visit: Visit, drawing: Drawing, data: object = {}): string {
  return eta.render(drawing, Object.assign(tools(visit), data));
}

const frame = template(`<!doctype html>
<html lang="<%= it.language %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content='{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyEnabled":false}'>
<title><%= it.title %> · Malipo</title>
<link rel="icon" href="<%= it.icon %>" type="image/svg+xml">
<link rel="stylesheet" href="<%= it.style %>">
<script src="<%= it.script %>" defer></script>
<script src="<%= it.live %>" defer></script>
</head>
<body>
<a class="skip" href="#main"><%= it.t('app.skip') %></a>
<header class="top">
<% if (it.isSandbox) { %><p class="sandbox"><%= it.t('app.sandbox') %></p><% } %>
<div class="bar">
<a class="brand" href="/">Malipo</a>
<% if (it.operator) { %><span class="merchant"><%= it.t('ops.title') %></span><% } %>
<% if (it.place) { %><span class="merchant"><%= it.place.merchant.name %></span><% } %>
<nav class="account" aria-label="<%= it.t('app.account') %>">
<% if (it.isIn) { %>
<a href="/"<% if (it.here === '/') { %> aria-current="page"<% } %>><%= it.t('app.merchants') %></a>
<% if (it.session.person.operatorName) { %><a href="/ops"<% if (it.operator) { %> aria-current="true"<% } %>><%= it.t('ops.title') %></a><% } %>
<a href="/security"<% if (it.here === '/security') { %> aria-current="page"<% } %>><%= it.t('app.security') %></a>
<% } %>
<% if (it.session) { %>
<form method="post" action="/sign-out"><%~ it.token %><button class="link" type="submit"><%= it.t('app.sign_out') %></button></form>
<% } %>
</nav>
</div>
<% if (it.pages.length > 0) { %>
<nav class="pages" aria-label="<%= it.menu %>">
<% for (const page of it.pages) { %>
<a href="<%= page.href %>"<% if (page.isHere) { %> aria-current="page"<% } %>><%= page.text %></a>
<% } %>
</nav>
<% } %>
</header>
<main id="main" tabindex="-1">
<% if (it.viewedAs) { %><p class="hint"><%= it.viewedAs %></p><% } %>
<%~ it.body %>
</main>
<footer>
<form method="post" action="/language">
<%~ it.token %><input type="hidden" name="next" value="<%= it.path %>">
<span id="language"><%= it.t('app.language') %></span>
<% for (const [code, name] of it.languages) { %>
<button class="link" type="submit" name="language" value="<%= code %>" lang="<%= code %>"<% if (code === it.language) { %> aria-current="true"<% } %>><%= name %></button>
<% } %>
</form>
</footer>
</body>
</html>
`);

const languageNames = { en: 'English', sw: 'Kiswahili' } as const;
const platformRoles: readonly AnyRole[] = ['operator', 'approver', 'auditor'];
const merchantPages: readonly {
  word: Word;
  path: string;
  /** Pages below it, for which the menu entry is marked too. */
  beyond?: readonly string[];
  for?: readonly AnyRole[];
}[] = [
  { word: 'nav.overview', path: '' },
  { word: 'nav.payments', path: '/payments' },
  { word: 'payouts.title', path: '/payouts', for: ['owner', 'finance', ...platformRoles] },
  { word: 'twice.title', path: '/duplicates' },
  { word: 'nav.statements', path: '/statements', for: ['owner', 'finance', ...platformRoles] },
  {
    word: 'nav.developers',
    path: '/developers',
    beyond: ['/endpoints', '/webhooks'],
    for: ['owner', 'developer', ...platformRoles],
  },
  { word: 'nav.team', path: '/team' },
  { word: 'settings.title', path: '/settings' },
];

const operationPages: readonly { word: Word; path: string }[] = [
  { word: 'ops.now', path: '/ops' },
  { word: 'ops.cases', path: '/ops/cases' },
  { word: 'payments.title', path: '/ops/payments' },
  { word: 'app.merchants', path: '/ops/merchants' },
  { word: 'ops.recon', path: '/ops/reconciliation' },
  { word: 'ops.stops', path: '/ops/pauses' },
  { word: 'ops.holds', path: '/ops/holds' },
  { word: 'ops.approvals', path: '/ops/approvals' },
  { word: 'ops.people', path: '/ops/users' },
  { word: 'ops.audit', path: '/ops/audit' },
];

/** The complete page around the body of an answer. */
export function wholePage(visit: Visit, { title, body }: Extract<PageResponse, { kind: 'page' }>): string {
  const { place, operator, t, path } = visit;
  const here = path.split('?')[0] ?? '/';
  return draw(visit, frame, {
    title,
    body,
    here,
    path: visit.method === 'GET' ? path : '/',
    isSandbox: visit.config.environment === 'sandbox',
    isIn: visit.session && (visit.session.passedSecond || !visit.session.person.hasSecondFactor),
    operator,
    menu: place ? t('app.menu', { merchant: place.merchant.name }) : t('ops.menu'),
    viewedAs:
      place && platformRoles.includes(place.as) ? t('app.looking_as', { role: t(`role.${place.as}`) }) : '',
    pages: operator ? platformPages(visit, here) : place ? pagesOf(visit, place, here) : [],
    languages: languages.map((code) => [code, languageNames[code]]),
    icon: assetUrl('icon.svg'),
    style: assetUrl('portal.css'),
    script: assetUrl('htmx.js'),
    live: assetUrl('live.js'),
  });
}

function pagesOf({ t }: Visit, { merchant, as }: MerchantPlace, here: string) {
  const base = `/m/${merchant.merchant_id}`;
  return merchantPages
    .filter(({ for: who }) => !who || who.includes(as))
    .map(({ word, path: below, beyond = [] }) => ({
      href: `${base}${below}`,
      text: t(word),
      isHere:
        below === '' ? here === base : [below, ...beyond].some((one) => here.startsWith(`${base}${one}`)),
    }));
}

function platformPages({ t }: Visit, here: string) {
  return operationPages.map(({ word, path }) => ({
    href: path,
    text: t(word),
    isHere: path === '/ops' ? here === path : here.startsWith(path),
  }));
}
