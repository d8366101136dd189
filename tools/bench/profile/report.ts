/** Where a payment's processor time goes: by process, thread and kind of work. */
import { table } from '../../../src/cli/table';
import { rounded, sum } from '../measures/statistics';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';
import { seenIn, type CpuProfile, type Span } from './cpu-profile';
import { groupOf, idle } from './groups';
import type { ModuleOf } from './modules';
import { byRole, type ThreadsMs } from './threads';

export type Profiles = Partial<Record<'main' | 'workflows', CpuProfile>>;

/** The recording of one process while `payments` were made. */
export interface Recorded {
  process: string;
  payments: number;
  span: Span;
  threads: ThreadsMs;
  /** Of its JavaScript threads; empty if the process is not ours. */
  profiles: Profiles;
}

/** Milliseconds per payment. */
export interface ProcessTime {
  process: string;
  cpu_ms: number;
  parts: { thread: string; work: string; cpu_ms: number }[];
  /** Single functions, the most expensive first. */
  functions: { thread: string; name: string; module: string; cpu_ms: number }[];
}

export interface ProfileReport extends Circumstances {
  payments: number;
  ours: ProcessTime[];
  bare: ProcessTime[];
}

const functionsShown = 25;

/**
 * The kernel has a thread's total time, and the profile has the parts. For a call that waits inside, such as for a
 * thread's start, the profile includes the wait.
 */
export function timeOf(recorded: Recorded, moduleOf: ModuleOf): ProcessTime {
  const { process, payments, profiles, span } = recorded;
  const { total, native, ...running } = byRole(recorded.threads);
  const parts: ProcessTime['parts'] = [];
  const functions: ProcessTime['functions'] = [];
  for (const thread of ['main', 'workflows'] as const) {
    const profile = profiles[thread];
    if (!profile) continue;
    const seen = workIn(profile, span, moduleOf);
    const perPayment = running[thread] / sum(seen.map(({ ms }) => ms)) / payments;
    for (const { one, ms } of summedBy(seen, ({ work }) => work))
      parts.push({ thread, work: one.work, cpu_ms: perPayment * ms });
    for (const { one, ms } of summedBy(seen, ({ name, module }) => `${name} ${module}`))
      functions.push({ thread, name: one.name, module: one.module, cpu_ms: perPayment * ms });
  }
  if (Object.keys(profiles).length > 0)
    for (const [work, ms] of Object.entries(native))
      parts.push({ thread: 'native', work, cpu_ms: ms / payments });
  return {
    process,
    cpu_ms: rounded(total / payments),
    parts: dearestFirst(parts),
    functions: dearestFirst(functions).slice(0, functionsShown),
  };
}

interface Work {
  work: string;
  name: string;
  module: string;
  ms: number;
}

function workIn(profile: CpuProfile, span: Span, moduleOf: ModuleOf): Work[] {
  return seenIn(profile, span).flatMap(({ stack, ms }) => {
    const work = groupOf(stack, moduleOf);
    const [frame] = stack;
    if (work === idle || !frame) return [];
    return [{ work, name: frame.functionName || '(anonymous)', module: moduleOf(frame), ms }];
  });
}

function summedBy(all: Work[], keyOf: (one: Work) => string): { one: Work; ms: number }[] {
  const sums = new Map<string, { one: Work; ms: number }>();
  for (const one of all) {
    const known = sums.get(keyOf(one));
    if (known) known.ms += one.ms;
    else sums.set(keyOf(one), { one, ms: one.ms });
  }
  return [...sums.values()];
}

function dearestFirst<T extends { cpu_ms: number }>(all: T[]): T[] {
  return all
    .map((one) => ({ ...one, cpu_ms: rounded(one.cpu_ms) }))
    .filter(({ cpu_ms: ms }) => ms > 0)
    .sort((a, b) => b.cpu_ms - a.cpu_ms);
}

export function profileReportOf(
  sides: Record<'ours' | 'bare', Recorded[]>,
  moduleOf: ModuleOf,
  now = new Date(),
): ProfileReport {
  const times = (all: Recorded[]) =>
    all.map((recorded) => timeOf(recorded, moduleOf)).sort((a, b) => b.cpu_ms - a.cpu_ms);
  return {
    payments: sides.ours[0]?.payments ?? 0,
    ours: times(sides.ours),
    bare: times(sides.bare),
    ...circumstances(now),
  };
}

export function profileText(report: ProfileReport): string {
  return [
    headlineOf(report),
    `Where the processor time of an STK push goes, ${report.payments} of them twenty at a time:`,
    tableOf(report.ours),
    'and that of a bare workflow:',
    tableOf(report.bare),
  ].join('\n\n');
}

/** Anything below this share of the total is in one row of its process. */
const shownShare = 0.004;

function tableOf(processes: ProcessTime[]): string {
  const all = sum(processes.map(({ cpu_ms: ms }) => ms));
  const percent = (ms: number) => `${((100 * ms) / all).toFixed(1)} %`;
  const rows = processes.flatMap(({ process, cpu_ms: ms, parts }) => {
    const shown = parts.filter((part) => part.cpu_ms >= shownShare * all);
    const rest = sum(parts.map((part) => part.cpu_ms)) - sum(shown.map((part) => part.cpu_ms));
    return [
      [process, '', 'all', ms.toFixed(2), percent(ms)],
      ...shown.map((part) => ['', part.thread, part.work, part.cpu_ms.toFixed(2), percent(part.cpu_ms)]),
      ...(rest > 0 ? [['', '', 'smaller parts', rest.toFixed(2), percent(rest)]] : []),
    ];
  });
  return table(
    ['process', 'thread', 'work', 'CPU ms per payment', 'share'],
    [...rows, ['all', '', '', all.toFixed(2), '100 %']],
  );
}
