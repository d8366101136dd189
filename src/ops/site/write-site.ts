/** `npm run docs`: writes the documentation as static files, which the API's operations port serves as well. */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { committedDescription } from '../openapi/served-api';
import { errorsPage } from './errors-page';
import { nextStepsPage } from './next-steps-page';
import { postmanCollection } from './postman';
import { framed, style, type Group, type Page } from './page';
import { referencePages, type Description } from './reference';

const root = join(__dirname, '..', '..', '..', '..');
const guidesFolder = join(root, 'src', 'ops', 'site', 'guides');
const target = join(root, 'dist', 'site');

/** Markdown of our own; its first line is its title, and its file's number its place. */
async function guides(): Promise<Page[]> {
  const { marked } = await import('marked');
  const files = readdirSync(guidesFolder)
    .filter((name) => name.endsWith('.md'))
    .sort();
  return files.map((name) => {
    const text = readFileSync(join(guidesFolder, name), 'utf8');
    const title = /^# (.+)/.exec(text)?.[1] ?? name;
    const content = marked.parse(text, { async: false });
    return { path: `guides/${name.replace(/^\d+-|\.md$/g, '')}.html`, title, content: inFrames(content) };
  });
}

/** Wide tables and samples are moved by the keyboard as well. */
function inFrames(content: string): string {
  return content
    .replaceAll('<table>', '<div class="scroll" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
}

async function main(): Promise<void> {
  const json = committedDescription();
  const description = json as unknown as Description;
  const reference = referencePages(description);
  const [index, ...others] = await guides();
  const tables = [nextStepsPage(), errorsPage()];
  const groups: Group[] = [
    { title: 'Guides', pages: others },
    { title: 'Reference', pages: [...reference, ...tables] },
  ];
  const first = { ...index, path: 'index.html' } as Page;
  const files = new Map([
    ...[first, ...others, ...reference, ...tables].map((page) => [page.path, framed(page, groups)] as const),
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
