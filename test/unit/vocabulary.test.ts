/** The words of names: files, exported names, tables and columns, commands and actions use the field's terms. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const root = join(__dirname, '..', '..');

/** A retired word, and what we write instead. */
const retired: Record<string, string> = {
  acceptance: 'creation, submission result',
  agenda: 'poll schedule',
  announce: 'notify, send webhook',
  announces: 'sends webhook',
  appointment: 'scheduled check',
  bell: 'signal',
  believed: 'trusted',
  chore: 'job',
  chores: 'jobs',
  contested: 'disputed',
  crowd: 'concurrency limit',
  disowned: 'unknown to provider',
  door: 'admission',
  duties: 'jobs',
  duty: 'job',
  exaggerated: 'over-reported',
  exaggerations: 'over-reported amounts',
  finding: 'provider result',
  findings: 'provider results',
  glance: 'dry-run poll',
  hasten: 'retry now',
  hint: 'unverified event',
  hints: 'unverified events',
  initiate: 'submit',
  initiation: 'submission',
  instruct: 'submit',
  instruction: 'submission',
  instructions: 'submissions',
  knock: 'admission',
  lane: 'bulkhead',
  lanes: 'bulkheads',
  look: 'status check',
  looked: 'checked',
  looks: 'status checks',
  may: 'can',
  news: 'update, change',
  nobody: 'no user, no operator',
  notice: 'provider event',
  notices: 'provider events',
  nudge: 'signal',
  orphan: 'unmatched receipt',
  orphans: 'unmatched receipts',
  people: 'users',
  promise: 'invariant',
  promises: 'invariants',
  proof: 'check, verification',
  proofs: 'checks, verifications',
  prove: 'check, verify',
  refusal: 'error, denial',
  refusals: 'errors, denials',
  reseal: 're-encrypt',
  resealed: 're-encrypted',
  said: 'reported, status text',
  seal: 'digest, encrypt',
  sealed: 'digested, encrypted',
  shelf: 'cache',
  siege: 'load test',
  somebody: 'a user',
  stories: 'histories',
  story: 'history',
  stranger: 'unauthenticated caller',
  strangers: 'unauthenticated callers',
  tell: 'notify, report',
  tells: 'notifies, reports',
  told: 'notified, reported',
  untold: 'unreported',
  wake: 'signal',
  wakes: 'signals',
  whoever: 'the actor',
  whose: 'the owner',
  woken: 'signalled',
};

/** Names that keep such a word, each with its reason. The list gets shorter. */
const exceptions: Record<string, string> = {
  initiate: 'the path of the specification, /api/v2/initiate.php',
  initiateAnswer: 'the same',
  initiateBody: 'the same',
  initiatePath: 'the same',
  InitiateAnswer: 'the same',
  InitiateInput: 'the same',
};

const skipped = new Set(['.git', '.malipo', 'coverage', 'dist', 'histories', 'fixtures', 'node_modules']);
const folders = [
  'src',
  'workflows',
  'activities',
  'simulator',
  'tools',
  'packages',
  'scripts',
  'test',
  'docs',
  'deploy',
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path);
    return [relative(root, path)];
  });
}
const files = folders.flatMap((folder) => filesBelow(join(root, folder)));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const code = files.filter((file) => file.endsWith('.ts') && !file.startsWith('packages/clients'));

/** `sentTold`, `sent_told` and `sent-told` have the parts `sent` and `told`; `lookUp` is one word of English. */
function retiredIn(name: string): string[] {
  const parts = name
    .replaceAll('lookUp', 'lookup')
    .split(/[^A-Za-z]+|(?<=[a-z\d])(?=[A-Z])/)
    .map((part) => part.toLowerCase());
  return parts.filter((part) => Object.hasOwn(retired, part));
}

/** @returns a line for each name with a retired word that is no exception. */
function faultsOf(names: Iterable<string>): string[] {
  return [...new Set(names)].flatMap((name) =>
    name in exceptions
      ? []
      : retiredIn(name).map((word) => `${name}: not "${word}", but ${retired[word] ?? ''}`),
  );
}

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('no retired word is in the name of', () => {
  it('a file or a folder', () => {
    const names = files.flatMap((file) => file.split('/')).map((part) => basename(part).replace(/\..*$/, ''));
    expect(faultsOf(names)).toEqual([]);
  });

  it('an exported type, function or value', () => {
    const exported =
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
    expect(faultsOf(code.flatMap((file) => matches(textOf(file), exported)))).toEqual([]);
  });

  it('a table, a column or an index', () => {
    const schema = textOf('src/store/migrations/001-baseline.ts');
    const names = matches(
      schema.replaceAll(/'[^']*'|\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
      /\b([a-z]+(?:_[a-z\d]+)*)\b/g,
    );
    expect(names).toContain('unmatched_receipts');
    expect(faultsOf(names)).toEqual([]);
  });

  it('a command, an option or an action', () => {
    const commands = code
      .filter((file) => /^(?:src\/cli|packages\/cli|src\/operator-actions)\//.test(file))
      .flatMap((file) => {
        const text = textOf(file);
        return [
          ...matches(text, /\.command\(\s*['`"]([^'`"]+)/g),
          ...matches(text, /\.(?:option|requiredOption)\(\s*['`"]([^'`"]+)/g),
          ...matches(text, /^ {2}'?([\w.-]+)'?: defineAction/gm),
        ];
      });
    expect(commands).toContain('unmatched');
    expect(commands).toContain('payouts.pause');
    expect(faultsOf(commands)).toEqual([]);
  });
});

it('each exception is still used', () => {
  const everything = code
    .filter((file) => !file.endsWith('vocabulary.test.ts'))
    .map(textOf)
    .join('\n');
  const all = `${files.join('\n')}\n${everything}`;
  expect(Object.keys(exceptions).filter((name) => !all.includes(name))).toEqual([]);
});
