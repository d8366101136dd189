/** `npm run docs`: writes the documentation as static files, which the API's operations port serves as well. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { committedDescription } from './served-api';
import { errorsPage } from './errors-page';
import { guidePages } from './guides';
import { nextStepsPage } from './next-steps-page';
import { postmanCollection } from './postman';
import { framed, style, type Group } from './page';
import { drawnDescription, referencePage, type Description } from './reference';
import { referenceScript } from './reference-script';

const root = join(__dirname, '..', '..', '..');
const target = join(root, 'dist', 'site');

/** The renderer of the reference comes from its package: nothing is loaded from elsewhere. */
const bundle = require.resolve('redoc/bundles/redoc.standalone.js');
const ofRedoc = (text: string) => text.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,');

async function main(): Promise<void> {
  const json = committedDescription();
  const description = json as unknown as Description;
  const guides = await guidePages(root, description);
  // What follows a colon explains the name, which is enough in a list.
  const named = guides.map((page) => ({ ...page, title: page.title.split(':')[0] ?? page.title }));
  const tables = [nextStepsPage(), errorsPage()];
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
  const files = new Map([
    ...[...guides, ...tables].map((page) => [page.path, framed(page, groups)] as const),
    ['reference/index.html', referencePage(description)] as const,
    ['reference/openapi.json', JSON.stringify(drawnDescription(description))] as const,
    ['reference/draw.js', referenceScript] as const,
    ['reference/redoc.standalone.js', ofRedoc(readFileSync(bundle, 'utf8'))] as const,
    ['reference/redoc.standalone.js.LICENSE.txt', readFileSync(`${bundle}.LICENSE.txt`, 'utf8')] as const,
    ['style.css', style] as const,
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
