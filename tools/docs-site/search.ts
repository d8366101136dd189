/**
 * Search and copying: the script of every page, and the index that it reads when the reader begins to search.
 * MiniSearch finds the sections; it comes from its package, so the page loads nothing from other sites.
 */
import type { Page } from './page';
import type { Description } from './reference';

/** A section of a page, or an operation of the reference. */
export interface Entry {
  id: number;
  /** With its anchor: `guides/refunds.html#which-rails`. */
  path: string;
  heading: string;
  /** The title of the page around a section; empty for a page itself. */
  title: string;
  text: string;
  /** How early it is among the results: a page before its sections, and these before a list of codes. */
  weight: number;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const textOf = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim();

/** The errors repeat the words of the guides, and the changelog everything. */
const weights: Record<string, number> = { 'errors.html': 0.5, 'changelog.html': 0.25 };

/** A section begins at each heading with an anchor. The text before the first one belongs to the page itself. */
function sectionsOf({ path, title, content }: Page): Omit<Entry, 'id'>[] {
  const [beginning = '', ...sections] = content.split(/(?=<h2 id=")/);
  const rest = sections.map((section) => {
    const [, anchor = '', heading = ''] = /^<h2 id="([^"]+)">(.*?)<\/h2>/s.exec(section) ?? [];
    const text = textOf(section.slice(section.indexOf('</h2>')));
    return { path: `${path}#${anchor}`, title, heading: textOf(heading), text, weight: weights[path] ?? 1 };
  });
  const text = textOf(beginning.replace(/<h1.*?<\/h1>/s, ''));
  return [{ path, heading: title, title: '', text, weight: 2 }, ...rest];
}

/** @param shown the description as the reference draws it. */
function operationsOf({ paths, webhooks }: Pick<Description, 'paths' | 'webhooks'>): Omit<Entry, 'id'>[] {
  const ofPaths = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...{ operation, name: `${method.toUpperCase()} ${path}` },
    })),
  );
  const ofWebhooks = Object.values(webhooks).map(({ post }) => ({ operation: post, name: 'Webhook' }));
  return [...ofPaths, ...ofWebhooks].map(
    ({ name, operation: { operationId, summary, description = '' } }) => ({
      ...{ path: `reference/index.html#operation/${operationId}`, title: 'Reference', heading: summary },
      weight: 1,
      text: `${name} ${operationId} ${description.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')}`,
    }),
  );
}

export function searchEntries(
  pages: readonly Page[],
  shown: Pick<Description, 'paths' | 'webhooks'>,
): Entry[] {
  return [...pages.flatMap(sectionsOf), ...operationsOf(shown)].map((entry, id) => ({ id, ...entry }));
}

/** Without it every page can still be read. */
export const siteScript = `'use strict';
(() => {
  const root = new URL('.', document.currentScript.src);
  const make = (name, fields, ...children) => {
    const one = Object.assign(document.createElement(name), fields);
    one.append(...children);
    return one;
  };
  const status = make('p', { className: 'unseen', role: 'status' });

  // Search.
  const place = document.getElementById('search');
  const input = make('input', { type: 'search', id: 'search-text', autocomplete: 'off', placeholder: 'Search' });
  const list = make('ol', { id: 'search-results' });
  input.setAttribute('aria-controls', list.id);
  place.setAttribute('aria-label', 'Documentation');
  place.append(make('label', { className: 'unseen', htmlFor: input.id }, 'Search the documentation'), input, list, status);

  const loadScript = (name) =>
    new Promise((resolve, reject) => {
      document.head.append(make('script', { src: new URL(name, root).href, onload: resolve, onerror: reject }));
    });
  let loading;
  const load = () => (loading ??= Promise.all([
    fetch(new URL('search.json', root)).then((answer) => answer.json()),
    loadScript('minisearch.js'),
  ]).then(([entries]) => {
    const index = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      storeFields: ['heading', 'title', 'path', 'weight'],
      searchOptions: {
        ...{ boost: { heading: 4, title: 2 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
        boostDocument: (id, term, { weight }) => weight,
      },
    });
    index.addAll(entries);
    return index;
  }));
  const close = () => {
    list.replaceChildren();
    status.textContent = '';
  };
  const linkOf = ({ heading, title, path }) => {
    const link = make('a', { href: new URL(path, root).href, onclick: close }, heading);
    if (title) link.append(make('span', {}, title));
    return make('li', {}, link);
  };
  const show = async () => {
    const text = input.value.trim();
    if (text === '') return close();
    try {
      const found = (await load()).search(text).slice(0, 12);
      // A later text has its own results.
      if (text !== input.value.trim()) return;
      list.replaceChildren(...found.map(linkOf));
      status.textContent = found.length === 0 ? 'No results' : found.length === 1 ? '1 result' : found.length + ' results';
      if (found.length === 0) list.append(make('li', { className: 'none' }, 'No results'));
    } catch {
      loading = undefined;
      status.textContent = 'The search is not available';
    }
  };
  input.addEventListener('focus', () => load().catch(() => { loading = undefined; }));
  input.addEventListener('input', show);
  place.addEventListener('keydown', async (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'Enter' && document.activeElement === input) {
      event.preventDefault();
      await show();
      list.querySelector('a')?.click();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = at + (event.key === 'ArrowDown' ? 1 : -1);
      (next < 0 ? input : links[Math.min(next, links.length - 1)] ?? input).focus();
    }
  });
  // A click on a result moves the focus to it, or to nothing in some browsers.
  place.addEventListener('focusout', ({ relatedTarget: next }) => { if (next && !place.contains(next)) close(); });
  document.addEventListener('pointerdown', ({ target }) => { if (!place.contains(target)) close(); });

  // Copying. The reference has its own buttons.
  if (document.body.classList.contains('reference')) return;
  const copy = (sample) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(sample.textContent);
    // Browsers have no clipboard for pages without https.
    getSelection().selectAllChildren(sample);
    return document.execCommand('copy') ? Promise.resolve() : Promise.reject(new Error('not copied'));
  };
  for (const sample of document.querySelectorAll('main pre')) {
    const button = make('button', { type: 'button', className: 'copy' }, 'Copy');
    const report = (text) => {
      button.textContent = text;
      status.textContent = text;
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    };
    button.addEventListener('click', () => copy(sample).then(() => report('Copied'), () => report('Not copied')));
    const frame = make('div', { className: 'sample' });
    sample.replaceWith(frame);
    frame.append(sample, button);
  }
})();
`;
