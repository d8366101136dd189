/** `npm run bench -- --settings`: what each of Temporal's settings gives a payment of ours, apart from all that is not Temporal. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, type ChildProcess } from '../../src/ops/services/child-process';
import { findTemporal } from '../../src/ops/services/find-temporal';
import { freePort } from '../../src/ops/services/free-port';
import { step } from '../../src/ops/services/progress';
import { temporalServer, type TemporalTuning } from '../../src/ops/services/temporal-server';
import { startBareSide, type BareSide } from '../bare/processes';
import { cpuMeter, type CpuMs } from '../measures/cpu';
import { plainTemporal } from '../measures/temporal-client';
import { acceptanceMs, fullThroughput, percentile, sum } from '../measures/statistics';
import { settingsReportOf, type RoundPair, type SettingsReport, type VariantFigures } from './report';
import { variants, type Variant } from './variants';

export interface SettingsPlan {
  rounds: number;
  /** Payments of each round one after the other, and twenty at a time. */
  alone: number;
  crowded: number;
}

const crowd = 20;

interface Started {
  side: BareSide;
  pids: Record<string, number>;
  stop(): Promise<void>;
}

export async function runSettings(plan: SettingsPlan, folder: string): Promise<SettingsReport> {
  const usual = await startServer(folder, 'usual');
  const figures: { name: string; each: RoundPair[] | string }[] = [];
  try {
    const ours = await startSide(usual, folder, { name: 'usual' });
    await measure(ours, plan);
    for (const variant of variants) {
      const each = await step(variant.name, () => compared(ours, usual, variant, plan, folder)).catch(
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      figures.push({ name: variant.name, each });
    }
    await ours.stop();
  } finally {
    await usual.stop();
  }
  return settingsReportOf(figures);
}

/** Both in turns, so that a machine that is busy for a while is busy for both. */
async function compared(
  ours: Started,
  usual: Server,
  variant: Variant,
  plan: SettingsPlan,
  folder: string,
): Promise<RoundPair[]> {
  const server = variant.server ? await startServer(folder, variant.name, variant.server) : usual;
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

async function measure({ side, pids }: Started, plan: SettingsPlan): Promise<VariantFigures> {
  const alone = await side.closedLoop({ payments: plan.alone, concurrency: 1 });
  const used = await cpuMeter(pids);
  const crowded = await side.closedLoop({ payments: plan.crowded, concurrency: crowd });
  const cpu: CpuMs | undefined = await used?.();
  const { payments, ms } = fullThroughput(crowded, crowd);
  return {
    accept_p50_ms: percentile(acceptanceMs(alone), 0.5),
    settled_per_s: (payments * 1_000) / ms,
    ...(cpu && { cpu_ms: sum(Object.values(cpu)) / plan.crowded }),
  };
}

interface Server {
  address: string;
  child: ChildProcess;
  stop(): Promise<void>;
}

async function startServer(folder: string, name: string, tuning?: TemporalTuning): Promise<Server> {
  const found = await findTemporal({});
  if (found.kind === 'external') throw new Error('the server must be our own');
  const databaseFolder = join(folder, name.replaceAll(/\W+/g, '-'));
  await mkdir(databaseFolder, { recursive: true });
  const service = temporalServer({
    binary: found.path,
    port: await freePort(),
    databaseFolder,
    logFile: join(databaseFolder, 'temporal.log'),
    ...(tuning && { tuning }),
  });
  const child = await launch(service);
  const kill = () => {
    if (child.isRunning()) process.kill(-child.pid, 'SIGKILL');
  };
  process.prependOnceListener('exit', kill);
  return {
    address: service.address,
    child,
    async stop() {
      process.off('exit', kill);
      await child.stop();
    },
  };
}

async function startSide(
  { address, child }: Server,
  folder: string,
  { name, worker }: Variant,
): Promise<Started> {
  const side = await startBareSide(plainTemporal(address), folder, {
    taskQueue: name.replaceAll(/\W+/g, '-'),
    ...(worker && { worker }),
  });
  return { side, pids: { ...side.pids, temporal: child.pid }, stop: () => side.stop() };
}
