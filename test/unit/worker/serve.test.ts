/** The order in which a process begins and ends. */
import type { Config } from '../../../src/config';
import { createMetrics } from '../../../src/telemetry/metrics';
import { serve, type Begun, type Service } from '../../../src/process/serve';
import { freePort } from '../../../tools/sandbox/services/free-port';
import { silentLog } from '../../support/silent-log';

const host = '127.0.0.1';

/** A process that notes what happens to it. */
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
    front: { app: (_request, response) => response.end('answered'), host, port },
    ops: { host, port: opsPort, readiness: [readiness], metrics: createMetrics() },
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
  return { happened, note, ready, serving: () => serve(begun, service) };
}

it('ends in one order, and shows operators until the end how it does', async () => {
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

it('closes nothing before it has answered the requests that it took', async () => {
  const port = await freePort();
  let answered: Promise<string> | undefined;
  let heardOf: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => (heardOf = resolve));
  const one = await someProcess({
    front: {
      ...{ host, port },
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

it('that fails closes everything all the same, and says why it failed', async () => {
  const one = await someProcess({ run: () => Promise.reject(new Error('the worker has failed')) });
  await expect(one.serving()).rejects.toThrow('the worker has failed');
  expect(one.happened.at(-1)).toBe('API stopped');
});
