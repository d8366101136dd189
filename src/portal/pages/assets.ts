/**
 * The files that pages load from our own origin. Each URL contains the file's digest, so browsers cache it permanently.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { liveJs, passkeysJs } from './portal-js';
import { portalCss } from './portal-css';

export interface Asset {
  type: string;
  content: Buffer;
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b4f"/>' +
  '<path d="M7 23V9h4l5 7 5-7h4v14h-4v-8l-5 7-5-7v8z" fill="#fff"/></svg>';

const sources: Record<string, () => Asset> = {
  'portal.css': () => ({ type: 'text/css; charset=utf-8', content: Buffer.from(portalCss) }),
  'icon.svg': () => ({ type: 'image/svg+xml', content: Buffer.from(icon) }),
  'live.js': () => ({ type: 'text/javascript; charset=utf-8', content: Buffer.from(liveJs) }),
  'passkeys.js': () => ({ type: 'text/javascript; charset=utf-8', content: Buffer.from(passkeysJs) }),
  'htmx.js': () => ({
    type: 'text/javascript; charset=utf-8',
    content: readFileSync(require.resolve('htmx.org/dist/htmx.min.js')),
  }),
};

interface Loaded extends Asset {
  url: string;
}

const loaded = new Map<string, Loaded>(
  Object.entries(sources).map(([name, load]) => {
    const asset = load();
    const digest = createHash('sha256').update(asset.content).digest('hex').slice(0, 12);
    return [name, { ...asset, url: `/assets/${digest}-${name}` }];
  }),
);
const byUrl = new Map([...loaded.values()].map((asset) => [asset.url, asset]));

export function assetUrl(name: keyof typeof sources): string {
  return loaded.get(name)?.url ?? '';
}

export function assetAt(url: string): Asset | undefined {
  return byUrl.get(url);
}
