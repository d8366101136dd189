/**
 * A stack for the test files of one jest process, one after the other: starting one takes longer than most files take.
 * Each file has its own merchants there, and expects nothing that it does not create itself.
 */
import { mkdir } from 'node:fs/promises';
import { answersOk } from '../../tools/sandbox/services/wait-for';
import { createTestDatabase, openTestDatabase } from './database';
import { endProcesses, notePids, stacksFolder } from './ends-of-stacks';
import { leftByFiles } from './left-by-files';
import { merchantsOf } from './merchants-of-stack';
import { takeOver } from './rails/simulator-control';
import { logsIn, processNames, startStack, type Stack } from './stack';

/** The two variants that most files use: real time, and fast. */
interface SharedSettings {
  timeScale?: 1 | 20;
}

/** What a file leaves for the next: modules, and what they have opened, belong to one file. */
interface WarmStack extends Pick<Stack, 'apiUrl' | 'opsUrl' | 'simulatorUrl' | 'providerUrls' | 'env'> {
  timeScale: number;
  folder: string;
  databaseUrl: string;
  pids: number[];
}

const warm = leftByFiles<WarmStack[]>('stacks', () => []);

/**
 * A file that kills, restarts or redirects processes, or changes what other files also use, calls `startStack` instead.
 */
export async function sharedStack({ timeScale = 20 }: SharedSettings = {}): Promise<Stack> {
  const within = stacksFolder();
  if (within === undefined || process.env['MALIPO_TARGET'] === 'cluster') return startStack({ timeScale });
  const stack = (await takeWarm(timeScale)) ?? (await startWarm(timeScale, within));
  await takeOver(stack.simulatorUrl);
  const { apiUrl, opsUrl, simulatorUrl, providerUrls, env } = stack;
  const db = openTestDatabase(stack.databaseUrl);
  const formerMerchants = await db('merchants').pluck('merchant_id');
  const merchants = merchantsOf({ db, env });
  return {
    ...{ apiUrl, opsUrl, simulatorUrl, providerUrls, env, db, formerMerchants },
    createMerchant: merchants.createMerchant,
    logs: () => logsIn(stack.folder),
    async stop() {
      await db.destroy();
      warm.push(stack);
      await merchants.end();
    },
  };
}

/**
 * A stack of an earlier file; a file that failed its final check leaves none. A stack that does not answer is stopped.
 */
async function takeWarm(timeScale: number): Promise<WarmStack | undefined> {
  for (;;) {
    const at = warm.findIndex((stack) => stack.timeScale === timeScale);
    const [stack] = at === -1 ? [] : warm.splice(at, 1);
    if (!stack) return undefined;
    if (await answers(stack)) return stack;
    await endProcesses(stack.pids);
  }
}

async function answers({ opsUrl, simulatorUrl, env }: WarmStack): Promise<boolean> {
  const worker = `http://${env['MALIPO_WORKER_HEALTH'] ?? ''}`;
  const urls = [`${opsUrl}/readyz`, `${worker}/readyz`, `${simulatorUrl}/control/clock`];
  const answers = await Promise.allSettled(urls.map(answersOk));
  return answers.every(({ status }) => status === 'fulfilled');
}

/**
 * Its database is removed with the server of the run. Stacks of other settings are stopped: files of the same settings
 * run one after the other, and an idle stack uses 5 % of a processor.
 */
async function startWarm(timeScale: number, within: string): Promise<WarmStack> {
  await endProcesses(warm.splice(0).flatMap(({ pids }) => pids));
  await mkdir(within, { recursive: true });
  const made = await createTestDatabase();
  const database = { ...made, drop: () => made.db.destroy() };
  const stack = await startStack({ timeScale, database, within, outlivesUs: true });
  await made.db.destroy();
  const { apiUrl, opsUrl, simulatorUrl, providerUrls, env, folder } = stack;
  const pids = processNames.map((name) => stack.process(name).pid);
  notePids(pids);
  return {
    apiUrl,
    opsUrl,
    simulatorUrl,
    providerUrls,
    env,
    folder,
    timeScale,
    databaseUrl: made.adminUrl,
    pids,
  };
}
