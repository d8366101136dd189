/** `malipo new-shop`: makes a small runnable shop in a new folder, with the client of its language beside it. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ActionError, InputError, textOf } from '../../src/operator-actions/errors';
import type { Io, Report } from './answers';
import { makeFolder } from './make-folder';

interface ShopLanguage {
  name: string;
  /** Starts the shop, in its folder. */
  start: string;
  /** Puts the client into a folder. */
  copyClient(repository: string, to: string): Promise<void>;
}

const languages: Record<string, ShopLanguage> = {
  node: { name: 'Node', start: 'node shop.mjs', copyClient: compileNodeClient },
  python: { name: 'Python', start: 'python3 shop.py', copyClient: copying('python', 'malipo') },
  php: { name: 'PHP', start: 'php -S 127.0.0.1:8000 shop.php', copyClient: copying('php', 'src') },
};
const choices = '--lang node, --lang python or --lang php';
/** The port of the shop, as in its README. */
const shopUrl = 'http://127.0.0.1:8000';

export interface NewShopOptions {
  /** True if the option has no value. */
  lang?: string | true;
}

/**
 * @param given where to make it, from the working directory
 * @throws InputError for a language that has no shop, or a folder that holds something; nothing is made then.
 */
export async function newShop(
  { folder: here }: Pick<Io, 'folder'>,
  { lang }: NewShopOptions,
  given = 'malipo-shop',
): Promise<Report> {
  if (lang === undefined || lang === true)
    throw new InputError(`Choose the language of the shop: ${choices}.`);
  const language = Object.hasOwn(languages, lang) ? languages[lang] : undefined;
  if (!language) throw new InputError(`There is no shop in "${lang}": choose ${choices}.`);
  const named = resolve(here, given);
  // A link to a folder is as good as the folder.
  const folder = await realpath(named).catch(() => named);
  await requireEmpty(folder, given);
  const repository = findRepository();
  // Made elsewhere first, so that a failure leaves no half of a shop.
  const made = await mkdtemp(join(tmpdir(), 'malipo-new-shop-'));
  try {
    await cp(join(repository, 'packages', 'shops', lang), made, { recursive: true });
    await language.copyClient(repository, join(made, 'malipo'));
    await cp(join(repository, 'LICENSE'), join(made, 'malipo', 'LICENSE'));
    await makeFolder(folder, { given });
    await alone(folder, given, () => cp(made, folder, { recursive: true }));
  } finally {
    await rm(made, { recursive: true });
  }
  return {
    text: nextSteps(language, { given, toRepository: relative(here, repository) }),
    json: { folder, language: lang, start: language.start, url: shopUrl },
  };
}

/** In the folder while its shop is being made. */
const mark = '.being-made';

/** Of two at once, one makes its shop. */
async function alone(folder: string, given: string, make: () => Promise<void>): Promise<void> {
  await writeFile(join(folder, mark), '', { flag: 'wx' }).catch(() => {
    throw new InputError(`Another shop is being made in ${given}: name a new folder.`);
  });
  try {
    await requireEmpty(folder, given);
    await make();
  } finally {
    await rm(join(folder, mark));
  }
}

async function requireEmpty(folder: string, given: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new InputError(code === 'ENOTDIR' ? `${given} is not a folder: name a new one.` : textOf(error));
  });
  if (entries.some((name) => name !== mark))
    throw new InputError(`The folder ${given} is not empty: name a new one.`);
}

/** Searches upwards from this file, compiled or bundled. */
function findRepository(): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'packages', 'shops'))) return folder;
  }
  throw new ActionError('The shops are in the repository of Malipo: run this command there.');
}

function copying(language: string, source: string): ShopLanguage['copyClient'] {
  return async (repository, to) => {
    const from = join(repository, 'packages', 'clients', language, source);
    await cp(from, to, { recursive: true, filter: (path) => !path.endsWith('__pycache__') });
  };
}

/** The client is TypeScript, and the shop needs no compiler. */
async function compileNodeClient(repository: string, to: string): Promise<void> {
  const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(repository, 'packages', 'clients', 'node', 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [compiler, '-p', project, '--outDir', to]).catch(
    (error: unknown) => {
      throw new ActionError(
        `The client could not be compiled; npm ci installs the compiler. ${textOf(error)}`,
      );
    },
  );
}

/** At most 8 lines of 80 columns, for a folder with a short path. */
function nextSteps(
  { name, start }: ShopLanguage,
  { given, toRepository }: { given: string; toRepository: string },
): string {
  const source = `  source ${quoted(join(toRepository, '.malipo', 'env'))}`;
  const address = `--forward-to ${shopUrl}/webhooks`;
  return [
    `A shop in ${name} is in ${given}. While the sandbox of \`npm start\` runs:`,
    source,
    `  (cd ${quoted(given)} && ${start})`,
    '',
    `Open ${shopUrl}, and forward webhooks from a second terminal:`,
    source,
    // Elsewhere npx would ask the registry, whose package of this name is not ours.
    ...(toRepository === ''
      ? [`  npx malipo listen ${address}`]
      : [`  node ${quoted(join(toRepository, 'scripts', 'malipo.mjs'))} listen \\`, `    ${address}`]),
  ].join('\n');
}

/** As a shell reads it as one word. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
