/** Each provider has its own origin: an official client takes a host, and sets the paths itself. */
import { providers } from '../../../simulator/providers';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createSimulator } from '../../../simulator/simulator';
import { freePort, isPortFree } from '../../../tools/sandbox/services/free-port';
import { raw } from '../../support/api/serve';
import { startTestBench, temporaryFolder, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';

let bench: TestBench;
beforeAll(async () => {
  bench = await startTestBench();
});
afterAll(() => bench.stop());

/** One call of each provider, at the provider's own path. */
const calls = [
  { name: 'stk', call: 'token', method: 'GET', path: '/oauth/v1/generate?grant_type=client_credentials' },
  { name: 'momo', call: 'availability', method: 'GET', path: '/v2/availability' },
  { name: 'xb', call: 'status', method: 'POST', path: '/api/v1/payment/status/' },
  { name: 'walletpay', call: 'token', method: 'POST', path: '/v1/oauth2/token' },
  { name: 'cardproc', call: 'token', method: 'POST', path: '/api/Auth/RequestToken' },
];
const names = providers.map(({ name }) => name);

const addresses = () => ({ control: bench.simulator.url, ...bench.simulator.origins });
const originOf = (name: string) => bench.simulator.origins[name] ?? '';

describe.each(calls)('$method $path', ({ name, call, method, path }) => {
  it(`is answered at the root of ${name}`, async () => {
    const { status } = await fetch(`${originOf(name)}${path}`, { method });
    expect(status).not.toBe(404);
    const { body } = await bench.daraja.call<{ requests: unknown[] }>(`/control/requests?provider=${name}`);
    expect(body.requests.at(-1)).toMatchObject({ call, url: path });
  });

  it('is not found on other origins, nor below the name of its provider', async () => {
    const others = Object.entries(addresses()).filter(([other]) => other !== name);
    expect(others.map(([other]) => other)).toHaveLength(names.length);
    for (const [other, address] of others) {
      expect([other, (await fetch(`${address}${path}`, { method })).status]).toEqual([other, 404]);
    }
    for (const address of Object.values(addresses())) {
      expect((await fetch(`${address}/${name}${path}`, { method })).status).toBe(404);
    }
  });
});

it('gives every provider an address of its own', () => {
  expect(Object.keys(bench.simulator.origins)).toEqual(names);
  expect(new Set(Object.values(addresses())).size).toBe(names.length + 1);
});

describe.each(names)('the pages of %s', (name) => {
  it('serve their style sheet and link to the front page, which names them', async () => {
    expect((await fetch(`${originOf(name)}/assets/simulator.css`)).status).toBe(200);
    const front = await fetch(originOf(name));
    expect(front.url).toBe(`${bench.simulator.url}/`);
    expect(await front.text()).toContain(`<code>${originOf(name)}</code>`);
  });

  it('are not on the origin of the control API, which has its own address', async () => {
    expect((await fetch(`${originOf(name)}/control/clock`)).status).toBe(404);
  });

  it('do not answer to the name of another origin', async () => {
    const { port } = new URL(originOf(name));
    const { host } = new URL(bench.simulator.url);
    const answer = await raw(Number(port), `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });
});

it('a provider’s port in use stops the start of the whole simulator, and no port stays open', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const state = temporaryFolder();
  const port = await freePort();
  const ports = Object.fromEntries(names.map((name) => [`MALIPO_SIMULATOR_${name.toUpperCase()}_PORT`, '0']));
  const env = {
    ...credentials,
    ...ports,
    MALIPO_SIMULATOR_CARDPROC_PORT: String((taken.address() as AddressInfo).port),
  };
  await expect(createSimulator({ env, port, stateFolder: state.path })).rejects.toThrow('EADDRINUSE');
  expect(await isPortFree(port)).toBe(true);
  await new Promise((resolve) => taken.close(resolve));
  state.remove();
});
