/** The guides: markdown of our own, with the tables that the code runs on, and links that work in the repository, too. */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { railDefinitions } from '../../src/rails';
import type { Page } from './page';
import { guideTables } from './guide-tables';
import type { Description } from './reference';

/** What a link to a file of the repository leads to on the site. */
const pagesOf: Record<string, string> = {
  'docs/openapi.json': 'openapi.json',
  'docs/endpoints.md': 'reference/index.html',
  'docs/errors.md': 'errors.html',
  'packages/clients/README.md': 'guides/shop.html',
  'src/domain/next-steps.ts': 'next-steps.html',
  'tools/docs-site/postman.ts': 'malipo.postman_collection.json',
};
const guidesFolder = 'docs/guides';

interface Guide extends Page {
  group: 'guides' | 'rails';
}

/** Its first line is its title, and its file's number its place. */
export async function guidePages(root: string, description: Description): Promise<Guide[]> {
  const { marked } = await import('marked');
  const tables = guideTables(description);
  return markdownFiles(root).map((file) => {
    const path = pathOf(file);
    const text = readFileSync(join(root, file), 'utf8');
    const title = /^# (.+)/.exec(text)?.[1] ?? file;
    const whole = text.replace(/^<!-- table: (.+) -->$/gm, (_, name: string) => tables(name));
    const content = inFrames(marked.parse(whole, { async: false }));
    return {
      ...{ path, title, group: path.startsWith('rails/') ? 'rails' : 'guides' },
      content: content.replace(/href="([^"#:]+)(#[^"]*)?"/g, (_, target: string, anchor = '') => {
        return `href="${siteLink(root, file, target)}${String(anchor)}"`;
      }),
    };
  });
}

/** Those of the rails stand in their folders, before what is paid beside them. */
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

/** `…/guides/02-shop.md` is `guides/shop.html`; a rail's is named after its title. */
function pathOf(file: string): string {
  const ofRail = guidesOfRails.find((guide) => guide.file === file);
  if (ofRail) return ofRail.path;
  const name = basename(file).replace(/^\d+-|\.md$/g, '');
  if (name === 'index') return 'index.html';
  return `${dirname(file).endsWith('rails') ? 'rails' : 'guides'}/${name}.html`;
}

/** @throws where nothing of the site stands for the file */
function siteLink(root: string, from: string, target: string): string {
  const file = relative(root, join(root, dirname(from), target)).replaceAll(sep, '/');
  const isGuide = file.startsWith(`${guidesFolder}/`) || guidesOfRails.some((guide) => guide.file === file);
  const page = isGuide ? pathOf(file) : pagesOf[file];
  if (page === undefined) throw new Error(`${from} links ${target}, which has no page`);
  return relative(dirname(pathOf(from)), page).replaceAll(sep, '/');
}

/** Headings have the anchors that they have in the repository; wide tables and samples are moved by the keyboard as well. */
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
