import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkflowNotFoundError } from '@temporalio/client';
import { getPaymentOrThrow } from '../../../src/payments/read/payments';
import { insertMerchant, insertPayment } from '../../support/store/rows';
import { writeBooks, type Books } from '../../support/verify/books';
import { deposit } from '../../support/verify/books-support';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeEach(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterEach(() => cli.drop());

const unreachable = () => Object.assign(new Error('14 UNAVAILABLE: no connection'), { code: 14 });

describe('malipo resume', () => {
  it('signals unfinished payments and those with an undelivered webhook', async () => {
    const { code, json } = await cli.run('resume', '--json');
    expect(code).toBe(0);
    expect(cli.engine.signalled).toEqual(
      expect.arrayContaining([books.pending, books.payingOut, books.corrected]),
    );
    expect(cli.engine.signalled).not.toContain(books.succeeded);
    expect(json).toEqual({
      unfinished: cli.engine.signalled.length,
      resumed: cli.engine.signalled.length,
      not_resumed: [],
      not_tried: 0,
    });
    expect((await cli.run('resume')).out).toMatch(/^\d+ payments unfinished, \d+ resumed\.\n$/);
  });

  it('fails payments that were not started in time, and writes the webhook', async () => {
    const merchantId = await insertMerchant(cli.db);
    const of = { merchant_id: merchantId, rail: 'loud' };
    const late = await insertPayment(cli.db, { ...of, created_at: new Date(Date.now() - 3_600_000) });
    const young = await insertPayment(cli.db, of);
    await cli.json('resume');
    const states = await cli.db('payments').whereIn('payment_id', [late, young]).orderBy('created_at');
    expect(states.map(({ state, failure_code: code }) => [state, code])).toEqual([
      ['failed', 'NOT_STARTED'],
      ['received', null],
    ]);
    expect(await cli.db('outbox').where({ payment_id: late })).toHaveLength(1);
  });

  it('fails when Temporal is unreachable, without trying each payment', async () => {
    let tries = 0;
    cli.engine.fails = () => {
      tries += 1;
      return unreachable();
    };
    const { code, out } = await cli.run('resume');
    expect(code).toBe(1);
    expect(out).toContain('could not be signalled');
    expect(tries).toBeLessThanOrEqual(10);
  });
});

describe('malipo sandbox advance', () => {
  const day = 86_400_000;
  let simulator: Server;
  let clockStatus = 200;
  let clockBodies: string[] = [];
  beforeAll(async () => {
    simulator = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        clockBodies.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
        response.writeHead(clockStatus).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => simulator.once('listening', resolve));
  });
  beforeEach(() => {
    clockStatus = 200;
    clockBodies = [];
    cli.session = { simulatorUrl: `http://127.0.0.1:${String((simulator.address() as AddressInfo).port)}` };
  });
  afterAll(() => simulator.close());

  it('advances open payments, watched ones, pending webhooks and the simulator', async () => {
    const watched = await deposit(
      cli.context,
      { merchantId: books.merchantId },
      'initiating',
      'pending',
      'timed_out',
    );
    const nextAt = new Date(Date.now() + 31 * day);
    await cli.db('outbox').where({ payment_id: watched }).update({ next_at: nextAt });
    const dueBefore = await cli.db('outbox').where({ state: 'pending' }).where('next_at', '<', new Date());
    const { code, json } = await cli.run('sandbox', 'advance', '30d', '--json');
    expect(code).toBe(0);
    // Payments with an undelivered webhook are advanced too: the next delivery is a timer of their workflow.
    expect(cli.engine.advanced.map(([id]) => id)).toEqual(
      expect.arrayContaining([books.pending, books.payingOut, watched]),
    );
    expect(cli.engine.advanced.map(([id]) => id)).not.toContain(books.succeeded);
    expect(new Set(cli.engine.advanced.map(([, ms]) => ms))).toEqual(new Set([30 * day]));
    expect(await getPaymentOrThrow(cli.db, watched)).toMatchObject({ clock_ahead_ms: String(30 * day) });
    expect(json).toMatchObject({
      advanced_ms: 30 * day,
      payments: cli.engine.advanced.length,
      vouchers: 1,
      simulator: true,
      not_advanced: [],
    });
    expect(cli.advancedVouchers).toEqual([[books.voucher, 30 * day]]);
    const after = await cli.db('outbox').where({ payment_id: watched }).first();
    expect(nextAt.getTime() - Number(after?.next_at)).toBe(30 * day);
    // A delivery that was already due keeps its time.
    for (const { webhook_id, next_at } of dueBefore)
      expect(await cli.db('outbox').where({ webhook_id }).first()).toMatchObject({ next_at });
    expect(clockBodies).toEqual([`POST /control/clock {"advance_ms":${String(30 * day)}}`]);
    expect((await cli.run('sandbox', 'advance', '1h30m')).out).toMatch(/^1h30m later: \d+ open payments/);
  });

  it('ignores a payment that has ended meanwhile', async () => {
    cli.engine.fails = (payment) => new WorkflowNotFoundError('not found', payment.workflow_id, undefined);
    expect(await cli.json('sandbox', 'advance', '61s')).toMatchObject({ payments: 0, not_advanced: [] });
  });

  it('is denied in live', async () => {
    const live = { MALIPO_ENV: 'live', MALIPO_PUBLIC_URL: 'https://pay.example.com' };
    cli.session = { ...cli.session, config: testConfig(cli.url, live) };
    expect(await cli.run('sandbox', 'advance', '1h')).toMatchObject({
      code: 1,
      err: 'Time cannot be moved in live.\n',
    });
    expect([cli.engine.advanced, clockBodies]).toEqual([[], []]);
  });

  it('fails when the simulator or Temporal cannot be advanced', async () => {
    cli.engine.fails = unreachable;
    expect(await cli.run('sandbox', 'advance', '1h')).toMatchObject({
      code: 1,
      out: expect.stringContaining('could not be moved'),
    });
    clockStatus = 400;
    expect(await cli.run('sandbox', 'advance', '1h')).toMatchObject({
      code: 1,
      err: expect.stringContaining('HTTP 400'),
    });
    cli.session = { simulatorUrl: 'http://127.0.0.1:1' };
    expect(await cli.run('sandbox', 'advance', '1h')).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be reached'),
    });
  });

  it.each(['', 'soon', '0s', '-1h', '1', '1h x', '367d'])('rejects "%s"', async (duration) => {
    expect(await cli.run('sandbox', 'advance', '--', duration)).toMatchObject({ code: 2 });
    expect(cli.engine.advanced).toEqual([]);
  });
});
