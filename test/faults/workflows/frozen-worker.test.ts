import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { startChild, type ChildProcess } from '../../../tools/sandbox/services/child-process';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { testTemporalAddress } from '../../support/temporal';

const dist = join(__dirname, '..', '..', '..', 'dist');
/** The SDK's own limit is 5 s of real time. */
const frozenMs = 7_000;
/** Workflow code that runs for some two seconds. */
const rounds = 600_000_000;
const workingMs = 300;

describe('a worker that is frozen in the middle of workflow code', () => {
  let folder: string;
  let connection: Connection;
  let worker: ChildProcess;
  const taskQueue = `busy-${randomUUID()}`;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'malipo-frozen-'));
    connection = await Connection.connect({ address: testTemporalAddress() });
    worker = await startChild({
      name: 'the busy worker',
      command: process.execPath,
      args: [join(__dirname, 'busy-worker.cjs'), dist, testTemporalAddress(), taskQueue],
      logFile: join(folder, 'worker.log'),
    });
  });
  afterAll(async () => {
    await worker.stop();
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Of all threads, from the 14th and 15th field: hundredths of a second on every Linux. */
  function processorMs(): number {
    const fields =
      readFileSync(`/proc/${String(worker.pid)}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  it('continues where it was, and stays alive', async () => {
    const client = new Client({ connection });
    const handle = await client.workflow.start('busy', {
      taskQueue,
      workflowId: taskQueue,
      args: [rounds],
      workflowTaskTimeout: '60s',
    });
    const eventTypes = async () =>
      ((await handle.fetchHistory()).events ?? []).map(({ eventType }) => Number(eventType));
    const started = 6;
    const hasStarted = async () => {
      if (!worker.isRunning()) throw new Error(readFileSync(join(folder, 'worker.log'), 'utf8'));
      return (await eventTypes()).includes(started) || undefined;
    };
    await waitFor(hasStarted, {
      what: 'the workflow task to begin',
      timeoutMs: 60_000,
    });
    const before = processorMs();
    await waitFor(() => Promise.resolve(processorMs() > before + workingMs || undefined), {
      what: 'the workflow code to be running',
      timeoutMs: 60_000,
    });
    process.kill(worker.pid, 'SIGSTOP');
    await delay(frozenMs);
    process.kill(worker.pid, 'SIGCONT');
    expect(await handle.result()).toEqual(expect.any(Number));
    // Scheduled, started and completed once: the frozen code is the code that completed it.
    expect((await eventTypes()).filter((type) => type === started)).toHaveLength(1);
    expect(worker.isRunning()).toBe(true);
  });
});
