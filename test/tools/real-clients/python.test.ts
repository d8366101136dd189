/** Third-party Python clients of Daraja, IntaSend and Pesapal with the simulator's address. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTestBench, CALLBACK_PATH, type TestBench } from '../../support/simulator/bench';
import { credentials } from '../../support/simulator/credentials';
import { pythonClients } from './python/python-clients';

const clients = pythonClients();
if ('absent' in clients) {
  if (process.env['CI'] === 'true') throw new Error(`CI has no clients written in Python: ${clients.absent}`);
  process.stderr.write(`… skipped: clients written in Python, because ${clients.absent}\n`);
}
const describeClients = 'absent' in clients ? describe.skip : describe;

describeClients('a client written in Python', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await startTestBench();
  });
  afterAll(() => bench.stop());

  /** Runs a script with the simulator in this process. @returns its output. */
  async function run(script: string, provider: string): Promise<unknown> {
    const python = 'absent' in clients ? '' : clients.python;
    const { stdout } = await promisify(execFile)(python, [join(__dirname, 'python', script)], {
      timeout: 90_000,
      env: {
        ...credentials,
        PATH: process.env['PATH'],
        NO_PROXY: '127.0.0.1',
        PYTHONDONTWRITEBYTECODE: '1',
        ORIGIN: bench.simulator.origins[provider],
        CONTROL: bench.simulator.url,
        CALLBACK_URL: `${bench.receiver.url}${CALLBACK_PATH}`,
      },
    });
    return JSON.parse(stdout);
  }

  it('mpesakit: a push is accepted and queried, and its notification read', async () => {
    expect(await run('daraja.py', 'stk')).toEqual({
      pushed: 0,
      asked: '0',
      receipt: expect.stringMatching(/^[A-Z0-9]{10}$/),
      amount: 1250,
      of_this: true,
      refused: 400,
    });
  });

  it('intasend-python: a prompt is pushed, and its invoice completes', async () => {
    expect(await run('cross_border.py', 'xb')).toEqual({
      pushed: 'PENDING',
      asked: 'COMPLETE',
      value: 100,
      bad: expect.stringContaining('phone_number'),
      wrong_keys: expect.any(String),
    });
  });

  it('pesapal-python: an order is submitted below /v3, paid, and refunded; another is cancelled', async () => {
    expect(await run('checkout.py', 'cardproc')).toEqual({
      listed: ['GET'],
      redirect: expect.stringContaining('OrderTrackingId='),
      unpaid: expect.objectContaining({ code: 'payment_details_not_found' }),
      paid: 'COMPLETED',
      refunded: 200,
      after: 'REVERSED',
      cancelled: '200',
      address: expect.objectContaining({ code: 'invalid_api_request_parameters' }),
      wrong_keys: expect.stringContaining('invalid_consumer_key_or_secret_provided'),
    });
  });
});
