/** Runs Stryker on a group of modules, and reads its report. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Group } from './groups';

const root = join(__dirname, '..', '..', '..');
/** Hidden, so that no other tool reads the copies of our modules there. */
const folder = '.malipo/mutation';

/** A mutation with its result. `Timeout` is an endless loop: noticed, like `Killed`. */
export interface Mutant {
  file: string;
  line: number;
  status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'CompileError' | 'Ignored';
  /** The source text, and its replacement. */
  original: string;
  replacement: string;
}

interface Place {
  line: number;
  column: number;
}

interface Report {
  files: Record<
    string,
    {
      source: string;
      mutants: {
        status: Mutant['status'];
        replacement?: string;
        location: { start: Place; end: Place };
      }[];
    }
  >;
}

/** @param atOnce how many processes run tests. */
export async function mutate(group: Group, atOnce: number): Promise<Mutant[]> {
  mkdirSync(join(root, folder), { recursive: true });
  const report = join(root, folder, `${group.name}.json`);
  const config = join(root, folder, `${group.name}.config.json`);
  writeFileSync(config, JSON.stringify(optionsOf(group, report, atOnce)));
  // Stryker sets the number of jest's worker itself.
  const { JEST_WORKER_ID: _, ...env } = process.env;
  const stryker = spawn(
    process.execPath,
    ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', config],
    { cwd: root, stdio: 'inherit', env },
  );
  const [code] = (await once(stryker, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the mutations of ${group.name} could not be run`);
  return mutantsOf(JSON.parse(readFileSync(report, 'utf8')) as Report);
}

function optionsOf({ modules, tests }: Group, report: string, atOnce: number) {
  return {
    packageManager: 'npm',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunner: 'jest',
    coverageAnalysis: 'perTest',
    mutate: modules,
    // Files that neither the modules nor their tests read.
    ignorePatterns: ['/dist', '/deploy', '/tools/bench', '/tools/fuzz', '/test/histories', '/coverage'],
    tempDirName: `${folder}/copy`,
    disableTypeChecks: false,
    concurrency: atOnce,
    timeoutMS: 15_000,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
    allowConsoleColors: false,
    jest: {
      projectType: 'custom',
      configFile: 'test/support/jest-base.cjs',
      enableFindRelatedTests: false,
      config: {
        roots: [...new Set(tests.map((file) => `<rootDir>/${dirname(file)}`))],
        testMatch: tests.map((file) => `<rootDir>/${file}`),
        // As in jest.config.cjs, by a name that Stryker can read.
        testEnvironment: './test/support/one-world.cjs',
        // The servers run already, and these tests are not counted.
        globalSetup: null,
        globalTeardown: null,
        setupFiles: [],
        testSequencer: '@jest/test-sequencer',
        maxWorkers: 1,
      },
    },
  };
}

function mutantsOf({ files }: Report): Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants.map(({ status, replacement = '', location: { start, end } }) => ({
      file,
      line: start.line,
      status,
      original: textBetween(lines, start, end),
      replacement,
    }));
  });
}

/** Lines and columns count from one. */
function textBetween(lines: readonly string[], start: Place, end: Place): string {
  const within = lines.slice(start.line - 1, end.line);
  const last = within.length - 1;
  return within
    .map((line, n) => line.slice(n === 0 ? start.column - 1 : 0, n === last ? end.column - 1 : undefined))
    .join('\n');
}
