/** The frame around every page of the simulator. */
import { Eta } from 'eta';
import type { RequestHandler } from 'express';

export const eta = new Eta({ autoEscape: true, autoTrim: false });

/** Nothing is loaded from other sites, and no script within a page's text can run. */
export const pageHeaders: RequestHandler = (_request, response, next) => {
  response.set(pageHeadersOf());
  next();
};

/**
 * @param formTargets origins that a form of the page may lead to, because a browser checks redirects too
 * @param frameAncestors who may show the page in a frame, in the header's syntax
 */
export function pageHeadersOf(
  formTargets: readonly string[] = [],
  frameAncestors = "'none'",
): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      ["form-action 'self'", ...formTargets].join(' '),
      "base-uri 'none'",
      `frame-ancestors ${frameAncestors}`,
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

const frame = eta.compile(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.title %> · Malipo sandbox</title>
<link rel="stylesheet" href="/assets/simulator.css">
<% if (it.script) { %><script src="<%= it.script %>" defer></script><% } %>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<p class="banner" role="note"><strong>Sandbox — no real money.</strong> Nothing here reaches a bank, a network or a handset.</p>
<header class="top"><a class="brand" href="/">Malipo <span>provider simulator</span></a></header>
<main id="main" tabindex="-1">
<%~ it.body %>
</main>
</body>
</html>
`);

/** @param body HTML; texts of callers must be escaped already */
export function page(title: string, body: string, script?: string): string {
  return eta.render(frame, { title, body, script });
}
