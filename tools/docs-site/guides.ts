/** The guides: our markdown, with generated tables, and links that also work in the repository. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { railDefinitions } from '../../src/rails';
import type { Page } from './page';
import { guideTables } from './guide-tables';
import type { Description } from './reference';

/** The page of the site for a link to a file of the repository. */
const pagesOf: Record<string, string> = {
  'CHANGELOG.md': 'changelog.html',
  'docs/openapi.json': 'openapi.json',
  'docs/endpoints.md': 'reference/index.html',
  'docs/errors.md': 'errors.html',
  'packages/clients/README.md': 'guides/shop.html',
  'src/domain/next-steps.ts': 'next-steps.html',
  'tools/docs-site/postman.ts': 'malipo.postman_collection.json',
};
const guidesFolder = 'docs/guides';

/** For readers of the repository, who see no tables. */
const placeholdersNote = /^_The tables of this page are generated from the code\.[^_]*_\n\n/m;

interface Guide extends Page {
  group: 'guides' | 'rails';
}

/** The first line of a file is its title, and the number in its name is its place. */
export async function guidePages(root: string, description: Description): Promise<Guide[]> {
  const { marked } = await import('marked');
  const tables = guideTables(description, root);
  return markdownFiles(root).map((file) => {
    const path = pathOf(file);
    const text = readFileSync(join(root, file), 'utf8');
    const title = /^# (.+)/.exec(text)?.[1] ?? file;
    const whole = text
      .replace(placeholdersNote, '')
      .replace(/^<!-- table: (.+) -->$/gm, (_, name: string) => tables(name));
    const content = inFrames(marked.parse(whole, { async: false }));
    return {
      ...{ path, title, group: path.startsWith('rails/') ? 'rails' : 'guides' },
      content: content.replace(/href="([^"#:]+)(#[^"]*)?"/g, (_, target: string, anchor = '') => {
        return `href="${siteLink(root, file, target)}${String(anchor)}"`;
      }),
    };
  });
}

/** The changes, newest first. It links only what the site shows: most of its links are for operators. */
export async function changelogPage(root: string): Promise<Page> {
  const { marked } = await import('marked');
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const content = inFrames(marked.parse(text, { async: false }));
  const path = 'changelog.html';
  return {
    ...{ path, title: 'Changelog' },
    content: content.replace(/<a href="([^"#:]+)[^"]*">(.*?)<\/a>/gs, (_, target: string, words: string) => {
      const page = pageOf(target);
      return page === undefined ? words : `<a href="${page}">${words}</a>`;
    }),
  };
}

/** The rails' guides are in their folders; they come before the guide of vouchers. */
const guidesOfRails = railDefinitions.map(({ name, title }) => ({
  file: `src/rails/${name}/guide.md`,
  path: `rails/${title.toLowerCase().replace(/\W+/g, '-')}.html`,
}));

function markdownFiles(root: string): string[] {
  const ours = readdirSync(join(root, guidesFolder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(guidesFolder, name));
  const isBeside = (file: string) => dirname(file).endsWith('rails');
  return [
    ...ours.filter((file) => !isBeside(file)),
    ...guidesOfRails.map(({ file }) => file),
    ...ours.filter(isBeside),
  ];
}

/** `…/guides/02-shop.md` becomes `guides/shop.html`; a rail's guide is named by its title. */
function pathOf(file: string): string {
  const ofRail = guidesOfRails.find((guide) => guide.file === file);
  if (ofRail) return ofRail.path;
  const name = basename(file).replace(/^\d+-|\.md$/g, '');
  if (name === 'index') return 'index.html';
  return `${dirname(file).endsWith('rails') ? 'rails' : 'guides'}/${name}.html`;
}

/** @returns undefined if no page of the site shows the file. */
function pageOf(file: string): string | undefined {
  const isGuide = file.startsWith(`${guidesFolder}/`) || guidesOfRails.some((guide) => guide.file === file);
  return isGuide ? pathOf(file) : pagesOf[file];
}

/** @throws if no page of the site shows the file */
function siteLink(root: string, from: string, target: string): string {
  const file = relative(root, join(root, dirname(from), target)).replaceAll(sep, '/');
  const page = pageOf(file);
  if (page === undefined) throw new Error(`${from} links ${target}, which has no page`);
  return relative(dirname(pathOf(from)), page).replaceAll(sep, '/');
}

/** Headings have the same anchors as in the repository. Wide tables and samples can be scrolled by keyboard. */
function inFrames(content: string): string {
  return content
    .replace(/<h2>([^<]+)<\/h2>/g, (_, text: string) => `<h2 id="${anchorOf(text)}">${text}</h2>`)
    .replaceAll('<table>', '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
}

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
