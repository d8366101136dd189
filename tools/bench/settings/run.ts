/**
 * `npm run bench -- --settings`: the effect of each of Temporal's settings on a payment like ours, with Temporal alone.
 */
import { step } from '../../sandbox/services/progress';
import { startBareSide, type BareSide } from '../bare/processes';
import { cpuMeter, type CpuMs } from '../measures/cpu';
import { creationMs, fullThroughput, percentile, sum } from '../measures/statistics';
import { settingsReportOf, type RoundPair, type SettingsReport, type VariantFigures } from './report';
import { startServer, type Server, type ServerKind } from './servers';
import { variantsOf, type Variant } from './variants';

export interface SettingsPlan {
  on: ServerKind;
  rounds: number;
  /** Payments of each round, one at a time, and twenty at a time. */
  alone: number;
  crowded: number;
}

const limit = 20;

interface Started {
  side: BareSide;
  pids: Record<string, number>;
  forking: readonly string[];
  stop(): Promise<void>;
}

export async function runSettings(plan: SettingsPlan, folder: string): Promise<SettingsReport> {
  const usual = await startServer(plan.on, folder, 'usual');
  const figures: { name: string; each: RoundPair[] | string }[] = [];
  try {
    const ours = await startSide(usual, folder, { name: 'usual' });
    await measure(ours, plan);
    for (const variant of variantsOf[plan.on]) {
      const each = await step(variant.name, () => compared(ours, usual, variant, plan, folder)).catch(
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      figures.push({ name: variant.name, each });
    }
    await ours.stop();
  } finally {
    await usual.stop();
  }
  return settingsReportOf(figures, plan.on);
}

/** Alternating, so that a machine that is busy for a while affects both. */
async function compared(
  ours: Started,
  usual: Server,
  variant: Variant,
  plan: SettingsPlan,
  folder: string,
): Promise<RoundPair[]> {
  const server = variant.server ? await startServer(plan.on, folder, variant.name, variant.server) : usual;
  try {
    const other = await startSide(server, folder, variant);
    try {
      await measure(other, plan);
      const pairs: RoundPair[] = [];
      for (let round = 0; round < plan.rounds; round += 1) {
        pairs.push({ usual: await measure(ours, plan), other: await measure(other, plan) });
      }
      return pairs;
    } finally {
      await other.stop();
    }
  } finally {
    if (server !== usual) await server.stop();
  }
}

async function measure({ side, pids, forking }: Started, plan: SettingsPlan): Promise<VariantFigures> {
  const alone = await side.closedLoop({ payments: plan.alone, concurrency: 1 });
  const used = await cpuMeter(pids, forking);
  const crowded = await side.closedLoop({ payments: plan.crowded, concurrency: limit });
  const cpu: CpuMs | undefined = await used?.();
  const { payments, ms } = fullThroughput(crowded, limit);
  return {
    accept_p50_ms: percentile(creationMs(alone), 0.5),
    settled_per_s: (payments * 1_000) / ms,
    ...(cpu && { cpu_ms: sum(Object.values(cpu)) / plan.crowded }),
  };
}

async function startSide(
  { temporal, pids, forking }: Server,
  folder: string,
  { name, worker }: Variant,
): Promise<Started> {
  const side = await startBareSide(temporal, folder, {
    taskQueue: name.replaceAll(/\W+/g, '-'),
    ...(worker && { worker }),
  });
  return { side, pids: { ...side.pids, ...pids }, forking, stop: () => side.stop() };
}
