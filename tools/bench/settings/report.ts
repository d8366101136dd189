/** The results of each setting, as text and as JSON. */
import { table } from '../../../src/cli/table';
import { median, rounded } from '../measures/statistics';
import { circumstances, type Circumstances } from '../report/circumstances';
import type { ServerKind } from './servers';

export interface VariantFigures {
  accept_p50_ms: number;
  settled_per_s: number;
  /** Of worker, client and server, per payment. */
  cpu_ms?: number;
}

/** One round: our settings, and the other setting directly after. */
export interface RoundPair {
  usual: VariantFigures;
  other: VariantFigures;
}

export interface SettingRow {
  setting: string;
  /** The median of the rounds' ratios to our settings. More is better for `settled`, less for the others. */
  ratio?: { accept_p50: number; settled: number; cpu?: number };
  /** Why there is no ratio. */
  refused?: string;
}

/** There are no books in it. */
export interface SettingsReport extends Omit<Circumstances, 'verify'> {
  on: ServerKind;
  usual: VariantFigures;
  settings: SettingRow[];
}

interface Measured {
  name: string;
  each: RoundPair[] | string;
}

export function settingsReportOf(
  measured: readonly Measured[],
  on: ServerKind,
  now = new Date(),
): SettingsReport {
  const { when, machine } = circumstances(now);
  const pairs = measured.flatMap(({ each }) => (typeof each === 'string' ? [] : each));
  const middle = (values: number[]) => rounded(median(values));
  const usual = pairs.map((pair) => pair.usual);
  return {
    on,
    usual: {
      accept_p50_ms: middle(usual.map((figures) => figures.accept_p50_ms)),
      settled_per_s: middle(usual.map((figures) => figures.settled_per_s)),
      ...(usual.every(({ cpu_ms }) => cpu_ms !== undefined) && {
        cpu_ms: middle(usual.map(({ cpu_ms = 0 }) => cpu_ms)),
      }),
    },
    settings: measured.map(({ name, each }) =>
      typeof each === 'string' ? { setting: name, refused: each } : { setting: name, ratio: ratiosOf(each) },
    ),
    when,
    machine,
  };

  function ratiosOf(each: RoundPair[]): NonNullable<SettingRow['ratio']> {
    const of = (figure: keyof VariantFigures) =>
      middle(each.map((pair) => (pair.other[figure] ?? 0) / (pair.usual[figure] ?? 1)));
    const hasCpu = each.every(({ other }) => other.cpu_ms !== undefined);
    return {
      accept_p50: of('accept_p50_ms'),
      settled: of('settled_per_s'),
      ...(hasCpu && { cpu: of('cpu_ms') }),
    };
  }
}

const servers: Record<ServerKind, string> = {
  development: 'a development server',
  cluster: 'a cluster',
};

export function settingsText(report: SettingsReport): string {
  const { usual, settings, when, machine, on } = report;
  const rows = settings.map(({ setting, ratio, refused = '' }) =>
    ratio ? [setting, ratio.accept_p50, ratio.settled, ratio.cpu ?? ''] : [setting, refused, '', ''],
  );
  return [
    `${when}  ${machine.cpu}, ${machine.cores} cores, node ${machine.node}`,
    `bare workflows on ${servers[on]} with what we have: accepted in ${usual.accept_p50_ms} ms (p50), ${usual.settled_per_s} settled per second, ${usual.cpu_ms ?? '?'} ms of CPU each`,
    table(['÷ what we have', 'accept p50', 'settled per s', 'CPU'], rows),
  ].join('\n\n');
}
