/** `npm run bench -- --profile`: where the processor time of an STK push goes, compared with a bare workflow. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { step } from '../../sandbox/services/progress';
import { startBareSide } from '../bare/processes';
import { bareSide } from '../bare/side';
import type { Side } from '../measures/side';
import { inDeployment } from '../ours/deployment';
import { paymentKinds } from '../ours/payments';
import { ourSide } from '../ours/side';
import { clockUs, type CpuProfile, type Span } from './cpu-profile';
import { modules } from './modules';
import { profileReportOf, type Profiles, type ProfileReport, type Recorded } from './report';
import { threadsMeter, type ThreadsMs } from './threads';

export interface ProfilePlan {
  /** Payments before the recording: code is compiled, connections are opened. */
  warmUp: number;
  payments: number;
}

const limit = 20;
/** The processes that run our code, or the bare side's. */
const profiled = { ours: ['api', 'worker', 'simulator'], bare: ['client', 'worker'] } as const;

interface Watched {
  span: Span;
  threads: Record<string, ThreadsMs>;
}

export async function runProfile(plan: ProfilePlan, folder: string): Promise<ProfileReport> {
  const folderOf = (side: 'ours' | 'bare', name: string) => join(folder, 'profiles', side, name);
  const nodeArgs = (side: 'ours' | 'bare') => (name: string) =>
    (profiled[side] as readonly string[]).includes(name)
      ? ['--cpu-prof', `--cpu-prof-dir=${folderOf(side, name)}`]
      : [];

  const watched = await inDeployment(
    folder,
    async ({ stack, merchant }) => {
      const bare = await step('starting the bare worker and its client', () =>
        startBareSide(stack.temporal, folder, { nodeArgs: nodeArgs('bare') }),
      );
      try {
        const server = { temporal: stack.pids['temporal'] ?? 0 };
        const kind = 'stk_push';
        return {
          ours: await watch(ourSide(stack, paymentKinds[kind].name, merchant.payBy(kind)), plan),
          bare: await watch(bareSide(bare, stack.temporal, server), plan),
        };
      } finally {
        await bare.stop();
      }
    },
    { nodeArgs: nodeArgs('ours') },
  );

  // A profile is written when its thread ends; by now all have ended.
  const recordedOf = (side: 'ours' | 'bare'): Promise<Recorded[]> => {
    const { span, threads } = watched[side];
    const each = Object.entries(threads).map(async ([process, used]) => ({
      process,
      payments: plan.payments,
      span,
      threads: used,
      profiles: await profilesIn(folderOf(side, process)),
    }));
    return Promise.all(each);
  };
  return profileReportOf({ ours: await recordedOf('ours'), bare: await recordedOf('bare') }, modules());
}

async function watch(side: Side, { warmUp, payments }: ProfilePlan): Promise<Watched> {
  await step(`warming up ${side.name}`, async () => {
    await side.closedLoop({ payments: warmUp, concurrency: limit });
    await side.quiet();
  });
  return step(`recording ${side.name}`, async () => {
    const meters = await Promise.all(
      Object.entries(side.pids).map(async ([name, pid]) => [name, await threadsMeter(pid)] as const),
    );
    const fromUs = clockUs();
    await side.closedLoop({ payments, concurrency: limit });
    await side.quiet();
    const span = { fromUs, toUs: clockUs() };
    const threads = await Promise.all(meters.map(async ([name, used]) => [name, await used()] as const));
    return { span, threads: Object.fromEntries(threads) };
  });
}

/** Node names the file by the process and the thread; the main thread is 0. */
async function profilesIn(folder: string): Promise<Profiles> {
  const files = await readdir(folder).catch(() => []);
  const read = files.map(async (file) => {
    const thread = /\.(\d+)\.\d+\.cpuprofile$/.exec(file)?.[1] === '0' ? 'main' : 'workflows';
    return [thread, JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
