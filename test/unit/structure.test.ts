/** The rules of the repository: what a reader can rely on in every folder, checked on the tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { tierOf, tiers, type Capability } from '../support/tiers.cjs';

const root = join(__dirname, '..', '..');
const notOurs = new Set(['.git', '.malipo', 'coverage', 'dist', 'histories', 'node_modules']);

/** Exceptions, each with its reason. The lists get shorter. */
const longFiles: Record<string, string> = {
  'src/store/migrations/001-baseline.ts': 'the whole schema, one line per column',
  'packages/clients/node/src/operations.ts': 'made from the description of the API',
  'test/support/verify/corruptions.ts': 'one planted corruption per check, in the order of the checks',
  'test/integration/webhooks/deliver.test.ts': 'every way a delivery can end, in one listing',
};
/** Separate small files: a file below 40 lines with one importer in its own folder belongs into that importer. */
const smallFiles: Record<string, string> = {
  'src/cli/fx.ts': 'one file per group of commands',
  'src/cli/secrets.ts': 'one file per group of commands',
  'src/rails/momo/refund.ts': 'the same file in each rail',
  'src/rails/walletpay/refund.ts': 'the same file in each rail',
};
/** In each rail, however small, so that a reader of one knows all. */
const railFiles = [
  'README.md',
  'webhook.ts',
  'demo.ts',
  'description.ts',
  'guide.md',
  'index.ts',
  'notifications.ts',
  'providers',
  'requests.ts',
  'responses.ts',
  'routes.ts',
  'sandbox.ts',
  'status.ts',
];
const ownRailFiles: Record<string, string[]> = {
  cardproc: ['drafts.ts', 'return-url.ts'],
  momo: [
    'bulk.ts',
    'choose-network.ts',
    'drafts.ts',
    'handset-collections.ts',
    'network.ts',
    'prefixes.ts',
    'refund.ts',
  ],
  walletpay: ['answer-schemas.ts', 'bulk.ts', 'claim-mail.ts', 'drafts.ts', 'events.ts', 'refund.ts'],
  xb: ['drafts.ts'],
};

const codeFile = /\.(?:ts|mjs|cjs)$/;
const textFile =
  /\.(?:ts|mjs|cjs|json|md|yml|yaml|sh|css|html|eta)$|(?:^|\/)(?:Dockerfile|\.[a-z]+(?:ignore|rc)?|run)$/;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesBelow(path);
    return [relative(root, path)];
  });
}

const files = filesBelow(root);
const code = files.filter((file) => codeFile.test(file));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Every matching line of the files, as an editor would name it. */
function linesWith(pattern: RegExp, among: string[]): string[] {
  return among.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
}

const importsOf = new Map<string, string[]>();
function importedBy(module: string): string[] {
  const known = importsOf.get(module);
  if (known) return known;
  const file = [`${module}.ts`, `${module}/index.ts`].find((name) => files.includes(name));
  const text = file === undefined ? '' : textOf(file);
  const imports = [...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)].map(
    ([, name = '']) => (name.startsWith('.') ? join(dirname(file ?? ''), name) : name),
  );
  importsOf.set(module, imports);
  return imports;
}

/** A word that must not be in any file, including this one. */
const word = (...parts: string[]) => parts.join('');

describe('a rail', () => {
  const railFolder = join(root, 'src', 'rails');
  const rails = readdirSync(railFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

  it.each(rails)('%s has the same files as the others', (rail) => {
    const present = readdirSync(join(railFolder, rail));
    const known = [...railFiles, 'settings.ts', ...(ownRailFiles[rail] ?? [])];
    expect(railFiles.filter((name) => !present.includes(name))).toEqual([]);
    expect(present.filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(rails)('%s has its providers in their own folders', (rail) => {
    const providers = readdirSync(join(railFolder, rail, 'providers'), { withFileTypes: true });
    expect(providers.filter((entry) => !entry.isDirectory()).map((entry) => entry.name)).toEqual([]);
    expect(providers).not.toEqual([]);
  });
});

it('the version is the same in package, lock, image, chart, clients and OpenAPI', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  const written: [string, RegExp][] = [
    ['package-lock.json', /"version": "([^"]+)"/],
    ['Dockerfile', /image\.version=(\S+)/],
    ['deploy/helm/malipo/Chart.yaml', /^version: (\S+)$/m],
    ['deploy/helm/malipo/Chart.yaml', /^appVersion: (\S+)$/m],
    ['packages/clients/node/package.json', /"version": "([^"]+)"/],
    ['packages/clients/python/pyproject.toml', /^version = "([^"]+)"$/m],
    ['docs/openapi.json', /"version": "([^"]+)"/],
    ['CHANGELOG.md', /^## (\d\S*)$/m],
  ];
  const found = written.map(([path, pattern]) => [path, pattern.exec(textOf(path))?.[1]]);
  expect(found).toEqual(written.map(([path]) => [path, version]));
});

describe('a file of code', () => {
  it('is in a folder whose name says its purpose', () => {
    const folders = /^(?:src|workflows|activities|simulator|tools|packages|test|scripts|docs\/toy-rail)\//;
    const atTheRoot = /^(?:eslint\.config\.mjs|jest\.config\.cjs|\.dependency-cruiser\.cjs)$/;
    expect(code.filter((file) => !folders.test(file) && !atTheRoot.test(file))).toEqual([]);
  });

  it('is named in kebab-case', () => {
    const kebab = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/;
    expect(code.filter((file) => !kebab.test(basename(file)))).toEqual([]);
  });

  it('has at most 500 lines', () => {
    const long = code.filter((file) => textOf(file).split('\n').length - 1 > 500);
    expect(long.sort()).toEqual(Object.keys(longFiles).sort());
  });

  it('has 40 lines or more, or several files that import it, or one of another folder', () => {
    const isOfEachRail = (file: string) =>
      /^src\/rails\/[^/]+\/[^/]+$/.test(file) && railFiles.includes(basename(file));
    const sources = code.filter(
      (file) => /^src\/.*\.ts$/.test(file) && !file.includes('/migrations/') && !isOfEachRail(file),
    );
    const importers = new Map<string, Set<string>>();
    for (const file of code.filter((name) => /^(?:src|activities|workflows)\//.test(name)))
      for (const [, name = ''] of textOf(file).matchAll(/(?:from |import\()'(\.[^']*)'/g)) {
        const target = join(dirname(file), name);
        for (const known of [`${target}.ts`, `${target}/index.ts`])
          importers.set(known, (importers.get(known) ?? new Set()).add(file));
      }
    const small = sources.filter((file) => {
      const [only, ...others] = importers.get(file) ?? [];
      const isOwn = only !== undefined && others.length === 0 && dirname(only) === dirname(file);
      return isOwn && textOf(file).split('\n').length - 1 < 40;
    });
    expect(small.sort()).toEqual(Object.keys(smallFiles).sort());
  });

  it('names no file of code that does not exist, nor does the README of a folder', () => {
    const ours = files.filter((file) =>
      /^(?:src|workflows|activities|simulator)\/.*(?:\.ts|README\.md)$/.test(file),
    );
    const lost = ours.flatMap((file) => {
      const comments = file.endsWith('.md')
        ? [textOf(file)]
        : (textOf(file).match(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm) ?? []);
      return comments
        .flatMap((text) => [...text.matchAll(/[\w./-]*\w\.ts\b/g)].map(([name]) => name))
        .filter(
          (name) =>
            !files.some((known) => known === name || known.endsWith(`/${name.replace(/^[./]+/, '')}`)),
        )
        .map((name) => `${file} names ${name}`);
    });
    expect(lost).toEqual([]);
  });

  it('cites no document that a reader cannot open', () => {
    const documents = new Set(files.map((file) => basename(file)));
    const cited = code.flatMap((file) =>
      [...textOf(file).matchAll(/[\w-]+\.md\b/g)].map(([name]) => ({ file, name })),
    );
    const lost = cited.filter(({ name }) => !documents.has(name));
    expect(lost.map(({ file, name }) => `${file} cites ${name}`)).toEqual([]);
  });
});

describe('nothing is left behind', () => {
  const texts = files.filter((file) => textFile.test(file));

  it('no reminder of unfinished work', () => {
    const reminder = new RegExp(
      `\\b(?:${[word('TO', 'DO'), word('FIX', 'ME'), word('X', 'XX')].join('|')})\\b`,
    );
    expect(
      linesWith(
        reminder,
        texts.filter((file) => file !== 'package-lock.json'),
      ),
    ).toEqual([]);
  });

  it('no skipped test, and none that skips the others', () => {
    const tests = files.filter((file) => /^test\/.*\.test\.ts$/.test(file));
    const marks = [word('on', 'ly'), word('sk', 'ip')].join('|');
    const left = new RegExp(`\\.(?:${marks})(?:\\.each)?\\(|\\b(?:x|f)(?:it|describe)\\(`);
    expect(linesWith(left, tests)).toEqual([]);
  });

  it('no path of a machine and no registry of one', () => {
    const places = [word('/ro', 'ot/'), word('/wo', 'rk/'), word('/ho', 'me/'), word('registry', '.npmjs')];
    const pattern = new RegExp(places.map((place) => place.replace('.', '\\.')).join('|'));
    expect(linesWith(pattern, texts)).toEqual([]);
  });
});

describe('a page', () => {
  it('loads nothing from another origin', () => {
    const pages = files.filter((file) => /(?:^|\/)pages\/|\/view\.ts$|\.(?:html|css|eta)$/.test(file));
    const foreign =
      /(?:src|href|action)\s*=\s*["'`]?(?:https?:)?\/\/(?!127\.0\.0\.1|localhost)|url\(\s*["']?(?:https?:)?\/\/|@import/;
    expect(pages.map((file) => dirname(file))).not.toEqual([]);
    expect(linesWith(foreign, pages)).toEqual([]);
  });
});

describe('a file of tests', () => {
  /** The modules that start something. A file that imports one, directly or through its helpers, may start it. */
  const modulesThatStart: Record<Capability, RegExp> = {
    database: /^test\/support\/database$|^tools\/sandbox\/services\/mysql-server$/,
    temporal: /^test\/support\/temporal$|^tools\/sandbox\/services\/temporal-server$/,
    stack: /^test\/support\/stack$/,
    processes:
      /^(?:node:)?child_process$|^tools\/sandbox\/services\/(?:child-process|run-command|python-environment)$/,
    browser: /^playwright-core$/,
  };
  /** Runs in jest's process for all files, or is part of what is started. */
  const apart = new Set(['test/support/database', 'test/support/temporal', 'test/support/stack']);

  /** Through the helpers, and no further: the imports of the sources do not count. */
  function startedBy(module: string, seen = new Set<string>()): Capability[] {
    seen.add(module);
    return importedBy(module).flatMap((name) => {
      const own = (Object.keys(modulesThatStart) as Capability[]).filter((what) =>
        modulesThatStart[what].test(name),
      );
      const isHelper = /^(?:test|tools\/lab)\//.test(name) && !apart.has(name) && !seen.has(name);
      return [...own, ...(isHelper ? startedBy(name, seen) : [])];
    });
  }

  const tests = files.filter((file) => /^test\/.*\.test\.ts$/.test(file));

  it('is in the folder of a tier', () => {
    expect(tests.filter((file) => tierOf(file) === undefined)).toEqual([]);
    const folders = new Set(
      files.filter((file) => file.startsWith('test/')).map((file) => file.split('/')[1]),
    );
    const known = [...Object.keys(tiers), 'fixtures', 'support'];
    expect([...folders].filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('starts nothing, directly or through its helpers, that its tier may not start', () => {
    const faults = tests.flatMap((file) => {
      const tier = tierOf(file) ?? '';
      const mayStart: readonly Capability[] = tiers[tier]?.starts ?? [];
      const more = new Set(startedBy(file.slice(0, -3)).filter((what) => !mayStart.includes(what)));
      return [...more].map((what) => `${file} starts ${what}, which ${tier} may not`);
    });
    expect(faults).toEqual([]);
  });

  it('starts what a lower tier may not, if it is in e2e', () => {
    const low = tests.filter(
      (file) =>
        tierOf(file) === 'e2e' &&
        !startedBy(file.slice(0, -3)).some((what) => !tiers['integration']?.starts.includes(what)),
    );
    expect(low).toEqual([]);
  });
});
