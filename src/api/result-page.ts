/** The one page this API shows: a sentence for a person who comes back from paying, maybe inside a merchant's frame. */
import { createHash } from 'node:crypto';
import type { Response } from 'express';

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:1.5rem;text-align:center}
h1{font-size:1.5rem;margin:0 0 .5rem;line-height:1.2}
p{margin:0;max-width:32rem}`;

/** Nothing is loaded, run, sent or led anywhere; the one style sheet is known by its hash. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Lets a merchant's page frame the answer, which nothing else of this API may be. */
function allowFraming(response: Response): void {
  response.removeHeader('X-Frame-Options');
  response.setHeader('Content-Security-Policy', policy);
}

export function sendPage(response: Response, { title, text }: { title: string; text: string }): void {
  allowFraming(response);
  response.status(200).type('html').send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</main>
</body>
</html>
`);
}

/** The browser is sent on with GET, and tells the next page nothing of where it comes from. */
export function sendOn(response: Response, location: string): void {
  allowFraming(response);
  response.setHeader('Location', location);
  response.status(302).end();
}
