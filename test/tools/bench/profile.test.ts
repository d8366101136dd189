/** Where a payment's processor time goes, as read from profiles and reported. */
import { readOptions } from '../../../tools/bench/options';
import { seenIn, type CallFrame, type CpuProfile } from '../../../tools/bench/profile/cpu-profile';
import { groupOf, idle } from '../../../tools/bench/profile/groups';
import { modules } from '../../../tools/bench/profile/modules';
import { profileReportOf, profileText, timeOf, type Recorded } from '../../../tools/bench/profile/report';
import { byRole, threadsMeter, type ThreadsMs } from '../../../tools/bench/profile/threads';

const bundle = [
  '"use strict";',
  '// node_modules/mysql2/lib/commands/query.js',
  'function start() {}',
  '// dist/src/payments/decide.js',
  'function decide() {}',
  '/***/ "./node_modules/@temporalio/workflow/lib/internals.js"',
  'function activate() {}',
].join('\n');

const frame = (functionName: string, url = '', lineNumber = 0): CallFrame => ({
  functionName,
  url,
  lineNumber,
});
const root = frame('(root)');
const idling = frame('(idle)');
const collecting = frame('(garbage collector)');
const start = frame('start', 'file:///app/bundle.js', 2);
const decide = frame('decide', '/app/bundle.js', 4);
const write = frame('writeGeneric', 'node:internal/stream_base_commons', 10);
const init = frame('init', '/app/node_modules/@temporalio/worker/lib/workflow/vm-shared.js', 40);
const lookUp = frame('originalPositionFor', '/app/node_modules/source-map/lib/consumer.js', 9);
const enter = frame('runInContext', 'node:vm', 130);

const moduleOf = modules((path) => (path === '/app/bundle.js' ? bundle : ''));

/** A profile in which each of these was seen for this many milliseconds, one after the other. */
function profileOf(seen: readonly (readonly [CallFrame, number])[], startTime = 1_000_000): CpuProfile {
  const inner = seen.map(([callFrame], index) => ({ id: index + 2, callFrame }));
  const samples = seen.flatMap(([, ms], index) => Array.from({ length: ms }, () => index + 2));
  return {
    nodes: [{ id: 1, callFrame: root, children: inner.map(({ id }) => id) }, ...inner],
    startTime,
    samples,
    timeDeltas: samples.map(() => 1_000),
  };
}

const always = { fromUs: 0, toUs: Number.MAX_SAFE_INTEGER };

describe('a profile', () => {
  it('is reported by the stacks that were seen, and for how long', () => {
    const seen = seenIn(
      profileOf([
        [start, 3],
        [idling, 2],
      ]),
      always,
    );
    expect(seen).toEqual([
      { stack: [start, root], ms: 3 },
      { stack: [idling, root], ms: 2 },
    ]);
  });

  it('is read only within the measured time', () => {
    const span = { fromUs: 1_002_000, toUs: 1_004_000 };
    expect(seenIn(profileOf([[start, 10]]), span)).toEqual([{ stack: [start, root], ms: 2 }]);
  });

  it('does not count waiting for a processor as work', () => {
    const profile = { ...profileOf([[start, 2]]), timeDeltas: [1_000, 500_000] };
    expect(seenIn(profile, always)).toEqual([{ stack: [start, root], ms: 3 }]);
  });
});

describe('a line of a bundle', () => {
  it('belongs to the module whose name is above it', () => {
    expect(moduleOf(start)).toBe('node_modules/mysql2/lib/commands/query.js');
    expect(moduleOf(decide)).toBe('dist/src/payments/decide.js');
    expect(moduleOf(frame('activate', '/app/bundle.js', 6))).toBe(
      'node_modules/@temporalio/workflow/lib/internals.js',
    );
  });

  it('of another file belongs to that file, and other code to itself', () => {
    expect(moduleOf(lookUp)).toBe('/app/node_modules/source-map/lib/consumer.js');
    expect(moduleOf(write)).toBe('node:internal/stream_base_commons');
    expect(moduleOf(idling)).toBe('');
  });
});

describe('the work of a processor', () => {
  it.each([
    ['MySQL', [start, decide, root]],
    ['MySQL', [write, start, decide, root]],
    ['our own code', [decide, start, root]],
    ['sockets', [write, root]],
    ['stacks of promises', [lookUp, init, enter, root]],
    ['entering the sandbox', [enter, root]],
    ['garbage collection', [collecting, root]],
    ['native code', [frame('(program)'), root]],
    ['Node itself', [frame('processTicksAndRejections', 'node:internal/process/task_queues'), root]],
    ['what has no name', [frame('strange', '/elsewhere.js'), root]],
    [idle, [idling, root]],
  ])('is %s', (group, stack) => {
    expect(groupOf(stack, moduleOf)).toBe(group);
  });
});

const threads: ThreadsMs = {
  total: 200,
  threads: [
    { name: 'node', isMain: true, ms: 100 },
    { name: 'node', isMain: false, ms: 5 },
    { name: 'node', isMain: false, ms: 40 },
    { name: 'tokio-runtime-w', isMain: false, ms: 20 },
    { name: 'tokio-runtime-w', isMain: false, ms: 10 },
    { name: 'v8:ProfEvntProc', isMain: false, ms: 15 },
  ],
};

const recorded: Recorded = {
  process: 'worker',
  payments: 10,
  span: always,
  threads,
  profiles: {
    main: profileOf([
      [start, 30],
      [decide, 10],
      [idling, 500],
    ]),
    workflows: profileOf([[enter, 4]]),
  },
};

describe('the threads of a process', () => {
  it('are listed separately, without the recording itself', () => {
    expect(byRole(threads)).toEqual({
      total: 185,
      main: 100,
      workflows: 40,
      native: { "Node's helpers": 5, 'tokio-runtime-w': 30, 'short-lived threads': 10 },
    });
  });

  it('have their own names on Node 24', () => {
    const named = threads.threads.map((one) => ({
      ...one,
      name: one.isMain ? 'MainThread' : one.ms === 40 ? 'WorkerThread' : one.ms === 5 ? 'V8Worker' : one.name,
    }));
    expect(byRole({ ...threads, threads: named })).toEqual({
      total: 185,
      main: 100,
      workflows: 40,
      native: { "Node's helpers": 0, V8Worker: 5, 'tokio-runtime-w': 30, 'short-lived threads': 10 },
    });
  });

  it('are those that the kernel reports', async () => {
    const used = await threadsMeter(process.pid);
    const { total, threads: ours } = await used();
    expect(total).toBeGreaterThanOrEqual(0);
    expect(ours.filter(({ isMain }) => isMain)).toHaveLength(1);
  });
});

describe('npm run bench -- --profile', () => {
  it('is a separate measurement', () => {
    expect(readOptions([]).profile).toBeUndefined();
    expect(readOptions(['--profile'])).toMatchObject({ profile: { warmUp: 200, payments: 500 } });
    expect(readOptions(['--profile', '--quick', '--payments', '200']).profile?.payments).toBe(200);
    expect(() => readOptions(['--profile', '--hot'])).toThrow('one measure');
  });

  it('divides a thread’s time by the kernel among the work that was seen', () => {
    const { cpu_ms: all, parts, functions } = timeOf(recorded, moduleOf);
    expect(all).toBe(18.5);
    expect(parts).toEqual([
      { thread: 'main', work: 'MySQL', cpu_ms: 7.5 },
      { thread: 'workflows', work: 'entering the sandbox', cpu_ms: 4 },
      { thread: 'native', work: 'tokio-runtime-w', cpu_ms: 3 },
      { thread: 'main', work: 'our own code', cpu_ms: 2.5 },
      { thread: 'native', work: 'short-lived threads', cpu_ms: 1 },
      { thread: 'native', work: "Node's helpers", cpu_ms: 0.5 },
    ]);
    expect(functions[0]).toEqual({
      thread: 'main',
      name: 'start',
      module: 'node_modules/mysql2/lib/commands/query.js',
      cpu_ms: 7.5,
    });
  });

  it('prints each process with its parts and their shares of the total, and the small ones in one row', () => {
    const database: Recorded = {
      ...recorded,
      process: 'mysql',
      profiles: {},
      threads: { total: 815, threads: [] },
    };
    const little = profileOf([
      [start, 999],
      [decide, 1],
    ]);
    const worker = { ...recorded, profiles: { main: little } };
    const report = profileReportOf({ ours: [worker, database], bare: [] }, moduleOf);
    const text = profileText(report);
    expect(text).toMatch(/10 of them/);
    expect(text).toMatch(/mysql +all +81\.50 +81\.5 %/);
    expect(text).toMatch(/worker +all +18\.50 +18\.5 %/);
    expect(text).toMatch(/main +MySQL +9\.99 +10\.0 %/);
    expect(text).toMatch(/smaller parts +0\.01 +0\.0 %/);
    expect(text).toMatch(/all +100\.00 +100 %/);
  });
});
