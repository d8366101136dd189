import { once } from 'node:events';
import { createSimulator } from '../../../simulator/simulator';
import { CALLBACK_PATH, startTestBench, temporaryFolder } from '../../support/simulator/bench';
import { startCallbackReceiver } from '../../support/simulator/callback-receiver';
import { credentials } from '../../support/simulator/credentials';
import { createDarajaClient } from '../../support/simulator/daraja-client';
import { compileSimulator, spawnServer, startSimulatorProcess } from './simulator-process';

const SUCCESS = '254708374149';

describe('a restart with the same state', () => {
  it('still sends what is due, and still has tokens, prompts, rules, books and the time', async () => {
    const bench = await startTestBench();
    try {
      const token = await bench.daraja.bearer();
      const paid = await bench.daraja.prompt(SUCCESS);
      await bench.daraja.advance(3_000);
      const timesOut = await bench.daraja.prompt('254733445566');
      const waits = await bench.daraja.prompt('254700000600');
      await bench.daraja.next({
        call: 'callback',
        behave: 'delay',
        ms: 500_000,
        where: { phone_number: '254733445566' },
      });
      await bench.daraja.advance(65_000);
      const waitsToo = await bench.daraja.prompt('254700000600');
      const before = bench.simulator.clock.now();

      await bench.restart();
      const { daraja, receiver } = bench;
      expect(bench.simulator.clock.now()).toBeGreaterThanOrEqual(before);
      expect(await daraja.books()).toEqual({ KES: { successes: 1, amount: '1250.00' } });
      expect(await daraja.post('/mpesa/stkpushquery/v1/query', {}, { authorization: token })).toMatchObject({
        body: { errorCode: '400.002.02' },
      });
      expect(await daraja.outcomeOf(paid)).toBe('0');
      expect((await daraja.decide(waits, 'pay')).status).toBe(409);
      expect((await daraja.decide(waitsToo, 'pay')).status).toBe(200);

      const reported = () => receiver.received.map(({ stkCallback }) => stkCallback.CheckoutRequestID);
      await daraja.advance(1);
      expect(reported()).toEqual([paid, waits, waitsToo]);
      await daraja.advance(600_000);
      expect(reported()).toEqual([paid, waits, waitsToo, timesOut]);
    } finally {
      await bench.stop();
    }
  });

  it('keeps unused rules', async () => {
    const bench = await startTestBench();
    try {
      await bench.daraja.next({ call: 'initiate', behave: '500', times: 2 });
      expect((await bench.daraja.initiate(SUCCESS)).status).toBe(500);
      await bench.restart();
      expect((await bench.daraja.initiate(SUCCESS)).status).toBe(500);
      expect((await bench.daraja.initiate(SUCCESS)).status).toBe(200);
    } finally {
      await bench.stop();
    }
  });
});

describe('the process', () => {
  const compiled = temporaryFolder();
  const server = compileSimulator(compiled.path);
  afterAll(() => {
    compiled.remove();
  });

  it('sends the notification after kill -9, once', async () => {
    const state = temporaryFolder();
    const receiver = await startCallbackReceiver();
    try {
      const first = await startSimulatorProcess(server, state.path);
      const id = await createDarajaClient(first, `${receiver.url}${CALLBACK_PATH}`).prompt('254733445566');
      expect(await first.end('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });

      const second = await startSimulatorProcess(server, state.path);
      const daraja = createDarajaClient(second, receiver.url);
      expect(await daraja.outcomeOf(id)).toBe('open');
      await daraja.advance(61_000);
      expect(receiver.received.map(({ stkCallback }) => stkCallback.CheckoutRequestID)).toEqual([id]);
      await second.end('SIGKILL');

      const third = await startSimulatorProcess(server, state.path);
      await createDarajaClient(third, receiver.url).advance(61_000);
      expect(receiver.received).toHaveLength(1);
      await third.end('SIGTERM');
    } finally {
      await receiver.close();
      state.remove();
    }
  });

  it('ends promptly and cleanly on SIGTERM, even while a caller hangs', async () => {
    const state = temporaryFolder();
    try {
      const simulator = await startSimulatorProcess(server, state.path);
      const daraja = createDarajaClient(simulator, 'http://127.0.0.1:1/in');
      await daraja.bearer();
      await daraja.next({ call: 'initiate', behave: 'hang' });
      const hanging = daraja.initiate(SUCCESS);
      const closed = expect(hanging).rejects.toThrow('fetch failed');
      const before = Date.now();
      expect(await simulator.end('SIGTERM')).toEqual({ code: 0, signal: null });
      // The caller hangs for as long as the simulator runs.
      expect(Date.now() - before).toBeLessThan(15_000);
      await closed;
    } finally {
      state.remove();
    }
  });

  it('does not start without its settings, and names all that are missing', async () => {
    const child = spawnServer(server, { STK_SHORTCODE: '174379', MALIPO_SIMULATOR_PORT: 'http' });
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(output.split('\n').map((line) => line.trim())).toEqual([
      "the simulator's settings are not usable:",
      'MALIPO_SIMULATOR_PORT must be a number from 0 to 65535',
      'MALIPO_SIMULATOR_STATE is missing',
      'STK_CONSUMER_KEY is missing',
      'STK_CONSUMER_SECRET is missing',
      'STK_PASSKEY is missing',
      'MOMO_TOKEN is missing',
      'XB_SECRET_KEY is missing',
      'XB_PUBLISHABLE_KEY is missing',
      'XB_CHALLENGE is missing',
      'CARDPROC_CONSUMER_KEY is missing',
      'CARDPROC_CONSUMER_SECRET is missing',
      '',
    ]);
  });
});

it('refuses to run in live', async () => {
  await expect(
    createSimulator({ env: { ...credentials, MALIPO_ENV: 'live' }, stateFolder: 'unused' }),
  ).rejects.toThrow('MALIPO_ENV is live');
});

it('a second simulator on a used port does not change the first one’s state', async () => {
  const state = temporaryFolder();
  const options = { env: credentials, stateFolder: state.path };
  const first = await createSimulator({ ...options, port: 0 });
  try {
    const daraja = createDarajaClient(first, 'http://127.0.0.1:1/in');
    await expect(createSimulator({ ...options, port: Number(new URL(first.url).port) })).rejects.toThrow(
      'EADDRINUSE',
    );
    const id = await daraja.prompt('254700000703');
    await first.close();
    const again = await createSimulator({ ...options, port: 0 });
    expect(await createDarajaClient(again, 'http://127.0.0.1:1/in').outcomeOf(id)).toBe('open');
    await again.close();
  } finally {
    state.remove();
  }
});
