/** `npm run docs`: writes the documentation as static files, which the API's operations port also serves. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { committedDescription } from './served-api';
import { errorsPage } from './errors-page';
import { changelogPage, guidePages } from './guides';
import { nextStepsPage } from './next-steps-page';
import { postmanCollection } from './postman';
import { framed, style, type Group } from './page';
import { drawnDescription, referencePage, type Description } from './reference';
import { referenceScript } from './reference-script';
import { searchEntries, siteScript } from './search';

const root = join(__dirname, '..', '..', '..');
const target = join(root, 'dist', 'site');

/** The reference's renderer comes from its package: the page loads nothing from other sites. */
const bundle = require.resolve('redoc/bundles/redoc.standalone.js');
/** It finds the sections of a search. */
const finder = join(dirname(require.resolve('minisearch')), '..', 'umd', 'index.js');
const licenceOfFinder = join(dirname(finder), '..', '..', 'LICENSE.txt');
const ofRedoc = (text: string) => text.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,');

async function main(): Promise<void> {
  const json = committedDescription();
  const description = json as unknown as Description;
  const guides = await guidePages(root, description);
  // The text after a colon explains the title; a list needs only the title.
  const named = guides.map((page) => ({ ...page, title: page.title.split(':')[0] ?? page.title }));
  const tables = [nextStepsPage(), errorsPage(), await changelogPage(root)];
  const drawn = drawnDescription(description);
  const groups: Group[] = [
    {
      title: 'Guides',
      pages: named.filter(({ group, path }) => group === 'guides' && path !== 'index.html'),
    },
    { title: 'Rails', pages: named.filter(({ group }) => group === 'rails') },
    {
      title: 'Reference',
      pages: [{ path: 'reference/index.html', title: 'Every endpoint and field' }, ...tables],
    },
  ];
  // The index comes before the first guide.
  const series = [
    ...named.filter(({ path }) => path === 'index.html'),
    ...groups.slice(0, 2).flatMap(({ pages }) => pages),
  ];
  const pages = [...guides, ...tables];
  const files = new Map([
    ...pages.map((page) => [page.path, framed(page, groups, series)] as const),
    ['reference/index.html', referencePage(description)] as const,
    ['reference/openapi.json', JSON.stringify(drawn)] as const,
    ['reference/draw.js', referenceScript] as const,
    ['reference/redoc.standalone.js', ofRedoc(readFileSync(bundle, 'utf8'))] as const,
    ['reference/redoc.standalone.js.LICENSE.txt', readFileSync(`${bundle}.LICENSE.txt`, 'utf8')] as const,
    ['style.css', style] as const,
    ['site.js', siteScript] as const,
    ['search.json', JSON.stringify(searchEntries([...named, ...tables], drawn))] as const,
    // Its source map is not served.
    ['minisearch.js', readFileSync(finder, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')] as const,
    ['minisearch.js.LICENSE.txt', readFileSync(licenceOfFinder, 'utf8')] as const,
    ['openapi.json', JSON.stringify(json)] as const,
    ['malipo.postman_collection.json', JSON.stringify(postmanCollection(description))] as const,
  ]);
  rmSync(target, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  process.stdout.write(`${target}\n`);
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
