/** Payments that are not slow, alone and beside slow ones. */
import { table } from '../../../src/cli/table';
import type { OpenLoopPlan } from '../load/open-loop';
import { rounded } from '../measures/statistics';
import type { Spread } from '../ours/steady';
import { circumstances, headlineOf, type Circumstances } from '../report/circumstances';

export type WhoIsSlow = 'provider' | 'merchants';

const waits = ['accept_ms', 'accept_to_final_ms', 'accept_to_delivered_ms'] as const;
type Wait = (typeof waits)[number];

export interface BesideFigures extends Record<Wait, Spread> {
  accepted: number;
  turned_away: number;
}

/** For payments that are not slow: alone, and beside slow ones. */
export interface SlowFigures {
  quick: BesideFigures;
  slow: BesideFigures;
}

export interface SlowReport extends SlowFigures, Circumstances {
  slow_are: WhoIsSlow;
  answers_after_ms: number;
  per_s: number;
  /** Beside slow ones divided by alone. */
  ratio: Record<Wait, Spread>;
}

export function slowReportOf(
  { quick, slow }: SlowFigures,
  plan: { who: WhoIsSlow; load: OpenLoopPlan; slowMs: number },
  now = new Date(),
): SlowReport {
  // Less than a millisecond counts as zero.
  const divided = (wait: Wait, rank: keyof Spread) =>
    rounded(slow[wait][rank] / Math.max(1, quick[wait][rank]));
  const of = (wait: Wait): Spread => ({ p50: divided(wait, 'p50'), p99: divided(wait, 'p99') });
  return {
    slow_are: plan.who,
    answers_after_ms: plan.slowMs,
    per_s: plan.load.perSecond,
    quick,
    slow,
    ratio: {
      accept_ms: of('accept_ms'),
      accept_to_final_ms: of('accept_to_final_ms'),
      accept_to_delivered_ms: of('accept_to_delivered_ms'),
    },
    ...circumstances(now),
  };
}

export function slowText(report: SlowReport): string {
  const { quick, slow, ratio, slow_are: who } = report;
  const rows = table(
    ['', 'no slow peer', `beside slow ${who}`, 'ratio'],
    [
      ['accepted', quick.accepted, slow.accepted, ''],
      ['rejected', quick.turned_away, slow.turned_away, ''],
      ...waits.flatMap((wait) =>
        (['p50', 'p99'] as const).map((rank) => [
          `${wait.replace(/_ms$/, '').replaceAll('_', ' ')} ${rank}, ms`,
          quick[wait][rank],
          slow[wait][rank],
          ratio[wait][rank],
        ]),
      ),
    ],
  );
  return [
    headlineOf(report),
    `${report.per_s} STK pushes a second that are not slow, beside ${report.per_s} others per second; each answer of the ${who} takes ${report.answers_after_ms} ms`,
    rows,
    'No target is set for these.',
  ].join('\n\n');
}
