/** The order in which a process starts and ends. */
import { createServer, type AddressInfo } from 'node:net';
import type { Config } from '../../../src/config';
import { createMetrics } from '../../../src/telemetry/metrics';
import { runToEnd, serve, type Begun, type Service } from '../../../src/process/serve';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { silentLog } from '../../support/silent-log';

const host = '127.0.0.1';

/** A process that records its steps. */
async function someProcess(own: Partial<Service>) {
  const happened: string[] = [];
  const note = (what: string): void => void happened.push(what);
  const begun: Begun = {
    name: 'api',
    env: {},
    config: { connectionsMax: 10, connectionsPerAddress: 10, trustedProxies: [] } as unknown as Config,
    log: { ...silentLog, info: note },
    ending: new AbortController(),
  };
  const [port, opsPort] = [await freePort(), await freePort()];
  const readiness = {
    name: 'serving',
    check: () => (begun.ending.signal.aborted ? Promise.reject(new Error('it ends')) : Promise.resolve()),
  };
  const ready = () =>
    fetch(`http://${host}:${String(opsPort)}/readyz`).then(
      ({ status }) => String(status),
      () => 'closed',
    );
  const service: Service = {
    front: { app: (_request, response) => response.end('answered'), host, port, setting: 'MALIPO_API_PORT' },
    ops: {
      host,
      port: opsPort,
      setting: 'MALIPO_OPS_PORT',
      readiness: [readiness],
      metrics: createMetrics(),
    },
    startJobs() {
      note('jobs start');
      const stop = () => {
        note('jobs stop');
        return Promise.resolve();
      };
      return [{ stop }];
    },
    run: async () => note(`runs, ready ${await ready()}`),
    closing: [
      async () => note(`closes this, ready ${await ready()}`),
      async () => note(`closes that, ready ${await ready()}`),
    ],
    ...own,
  };
  return { happened, note, ready, begun, service, serving: () => serve(begun, service) };
}

it('ends in one order, and shows its readiness to operators until the end', async () => {
  const one = await someProcess({});
  await one.serving();
  expect(one.happened).toEqual([
    'API listening',
    'jobs start',
    'runs, ready 200',
    'jobs stop',
    'closes this, ready 503',
    'closes that, ready 503',
    'API stopped',
  ]);
  expect(await one.ready()).toBe('closed');
});

it('closes nothing before it has answered the accepted requests', async () => {
  const port = await freePort();
  let answered: Promise<string> | undefined;
  let heardOf: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => (heardOf = resolve));
  const one = await someProcess({
    front: {
      ...{ host, port, setting: 'MALIPO_API_PORT' },
      app(_request, response) {
        heardOf();
        setTimeout(() => {
          one.note('answers');
          response.end('answered');
        }, 200);
      },
    },
    run() {
      answered = fetch(`http://${host}:${String(port)}`).then((answer) => answer.text());
      return heard;
    },
  });
  await one.serving();
  expect(await answered).toBe('answered');
  expect(one.happened.slice(2)).toEqual([
    'jobs stop',
    'answers',
    'closes this, ready 503',
    'closes that, ready 503',
    'API stopped',
  ]);
});

it('that fails closes everything anyway, and says why it failed', async () => {
  const one = await someProcess({ run: () => Promise.reject(new Error('the worker has failed')) });
  await expect(one.serving()).rejects.toThrow('the worker has failed');
  expect(one.happened.at(-1)).toBe('API stopped');
});

it.each([
  ['front', 'MALIPO_API_PORT'],
  ['ops', 'MALIPO_OPS_PORT'],
] as const)('names the setting of its %s port that is in use', async (which, setting) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, host, resolve));
  const { port } = other.address() as AddressInfo;
  const one = await someProcess({});
  const { [which]: address } = one.service;
  if (address) address.port = port;
  await expect(one.serving()).rejects.toThrow(
    `port ${String(port)} of ${host} cannot be opened (EADDRINUSE): another process uses it; see ${setting}`,
  );
  one.begun.ending.abort();
  other.close();
});

it('exits a few seconds after its end, with any open connection', async () => {
  jest.useFakeTimers();
  const exit = jest.spyOn(process, 'exit').mockImplementation();
  runToEnd(() => Promise.resolve());
  await jest.advanceTimersByTimeAsync(4_000);
  expect(exit).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(2_000);
  expect(exit).toHaveBeenCalledWith();
  exit.mockRestore();
  jest.useRealTimers();
});
