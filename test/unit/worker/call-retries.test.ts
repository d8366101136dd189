import { createServer } from 'node:net';
import { readTemporalLine } from '../../../src/config';
import { callRetries, openClientLine } from '../../../src/process/client-line';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { silentLog } from '../../support/silent-log';

type Status = Parameters<typeof callRetries.delayFunction>[1];

const failed = (code: unknown) => ({ code, details: '' }) as Status;
const [resourceExhausted, unavailable, notFound] = [8, 14, 5].map(failed) as [Status, Status, Status];
const tries = Array.from({ length: 24 }, (_, n) => n + 1);

describe('a call that Temporal could not serve', () => {
  it('is repeated within a second, for as long as a merchant waits', () => {
    const pauses = tries.map((attempt) => callRetries.delayFunction(attempt, unavailable));
    expect(Math.max(...pauses)).toBe(1_000);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(18_000);
    expect(tries.every((attempt) => callRetries.retryableDecider(attempt, unavailable))).toBe(true);
    expect(callRetries.retryableDecider(25, unavailable)).toBe(false);
  });

  it('waits longer if Temporal is overloaded, and is not repeated after a rejection', () => {
    expect(callRetries.delayFunction(6, resourceExhausted)).toBeGreaterThan(3_000);
    expect(callRetries.retryableDecider(1, notFound)).toBe(false);
  });
});

/** A connection to a server that ends every call, and the number of calls. */
async function lineToNobody() {
  let calls = 0;
  const nobody = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as { port: number };
  const line = openClientLine(
    {
      temporalAddress: `127.0.0.1:${String(port)}`,
      temporalNamespace: 'default',
      temporalLine: readTemporalLine({}),
    },
    { log: silentLog },
  );
  return { nobody, line, calls: () => calls };
}

describe('the connection of a client', () => {
  it('that is closed while a call waits for its retry ends the call, and nothing else', async () => {
    const { nobody, line, calls } = await lineToNobody();
    const asking = Array.from({ length: 5 }, () => line.workflowService.getSystemInfo({}));
    const ended = Promise.all(asking.map((call) => expect(call).rejects.toThrow()));
    await waitFor(async () => calls() > 2, { what: 'some tries', timeoutMs: 30_000 });
    await line.close();
    // If the retry throws where nothing catches it, the process ends, and no call does.
    await ended;
    await expect(line.workflowService.getSystemInfo({})).rejects.toThrow();
    nobody.close();
  });

  it('is retried at once, and then each second, while no server answers', async () => {
    const { nobody, line, calls } = await lineToNobody();
    const asking = line.withDeadline(Date.now() + 10_000, () => line.workflowService.getSystemInfo({}));
    await expect(asking).rejects.toThrow();
    await line.close();
    nobody.close();
    // With gRPC's defaults, the fifth attempt comes after 9 s, and the sixth after 15.
    expect(calls()).toBeGreaterThan(6);
  });
});
