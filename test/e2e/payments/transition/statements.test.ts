/** The database statements of a payment, recorded at each process's connection: their number and order. */
import { hostOf, startProxy, type Proxy } from '../../../faults/support/proxy';
import { fund, paidDeposit, transferBody } from '../../../support/rails/momo/payments';
import { call, stkPush } from '../../../support/merchant-client';
import { atRest, ended } from '../../../support/payments/timeline';
import { createTestDatabase } from '../../../support/database';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { create as createVoucher, fund as fundWallet } from '../../../support/vouchers/vouchers';

type ProcessName = 'api' | 'worker';

/** A transaction, or a single statement of its own. */
interface Unit {
  by: ProcessName;
  statements: string[];
}

/** The maximal cost of a payment, by process; `BEGIN` and `COMMIT` are round trips, too. */
const histories = [
  {
    name: 'an STK push',
    path: '/api/v1/stk_push',
    body: () => stkPush(),
    // Each visible change needs one statement more: the API creates the payment, the worker submits it and ends it. One
    // of the worker's statements stores the payment's reference for finding duplicates. One of the API's reads the
    // merchant's fee, here and below.
    atMost: { api: 11, worker: 30 },
  },
  {
    name: 'a momo deposit',
    path: '/api/v1/momo/deposit',
    body: () => transferBody(),
    atMost: { api: 11, worker: 30 },
  },
  {
    name: 'a momo payout',
    path: '/api/v1/momo/payout',
    body: () => transferBody(),
    // Two read limits and count the payout, one reads paused accounts, and one checks the key.
    atMost: { api: 18, worker: 31 },
  },
] as const;

/** On a busy machine a payment may be checked once more than needed: the cheapest of several counts. */
const tries = 5;

describe('statements', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let proxies: Record<ProcessName, Proxy>;
  const units: Unit[] = [];

  /** Groups the statements of each connection into transactions. */
  function listenTo(by: ProcessName) {
    const open = new Map<number, Unit>();
    return (text: string, connection: number) => {
      const statement = text.replaceAll(/\s+/g, ' ').trim();
      const unit = open.get(connection);
      unit?.statements.push(statement);
      if (/^(?:COMMIT|ROLLBACK)/.test(statement)) open.delete(connection);
      if (unit) return;
      const begun = { by, statements: [statement] };
      if (statement.startsWith('BEGIN')) open.set(connection, begun);
      units.push(begun);
    };
  }

  beforeAll(async () => {
    const database = await createTestDatabase();
    const host = hostOf(database.url);
    proxies = {
      api: await startProxy(host, listenTo('api')),
      worker: await startProxy(host, listenTo('worker')),
    };
    stack = await startStack({
      timeScale: 20,
      database,
      envOf: {
        api: { DATABASE_URL: proxies.api.via(database.url) },
        worker: { DATABASE_URL: proxies.worker.via(database.url) },
      },
    });
    // With the defaults of merchants: the duplicate checks are part of a payment's cost.
    merchant = await stack.createMerchant('Corner Shop', { duplicateWindow: 60, duplicateAlert: 'on' });
    await fund(stack, merchant, 100_000_000n);
    await fundWallet(stack, merchant, 100_000n);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([proxies.api.close(), proxies.worker.close()]);
  });

  async function pay(path: string, body: Record<string, unknown>): Promise<string> {
    const answer = await call(stack, merchant, 'POST', path, body);
    const id = answer.body.data?.['payment_id'] ?? answer.body['transaction_id'];
    if (typeof id !== 'string') throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
    await ended(stack.db, id);
    await atRest(stack.db, id);
    return id;
  }

  /** The statements for one payment: those with its id, its merchant's, or an id that belongs to it. */
  async function askedFor(paymentId: string, from: number): Promise<Unit[]> {
    const payment = await stack.db('payments').where({ payment_id: paymentId }).first('callback_token');
    const webhooks = await stack.db('outbox').where({ payment_id: paymentId }).select('webhook_id');
    const names = [
      paymentId,
      merchant.merchantId,
      merchant.apiKey,
      ...webhooks.map(({ webhook_id: id }) => id),
      ...(payment?.callback_token ? [payment.callback_token] : []),
    ];
    return units
      .slice(from)
      .filter(({ statements }) => statements.some((text) => names.some((name) => text.includes(name))));
  }

  it.each(histories)('$name costs no more than before', async ({ path, body, atMost }) => {
    // The first payment opens accounts, and requests the providers' tokens.
    await pay(path, body());
    const dearest: Record<string, string[]> = {};
    for (let n = 0; n < tries; n += 1) {
      const from = units.length;
      const asked = await askedFor(await pay(path, body()), from);
      const by = (name: ProcessName) =>
        asked.filter((unit) => unit.by === name).flatMap(({ statements }) => statements);
      const over = (['api', 'worker'] as const).filter((name) => by(name).length > atMost[name]);
      if (over.length === 0) return;
      for (const name of over) dearest[name] = by(name);
    }
    // The list shows the additional statements.
    expect(dearest).toEqual({});
  });

  it('lock a wallet or a float last, and write nothing else until the COMMIT', async () => {
    const deposit = await paidDeposit(stack, merchant);
    await pay('/api/v1/momo/refund', { transaction_id: deposit });
    await createVoucher(stack, merchant);
    const booking = units.filter(({ statements }) => statements.some(locksBalance));
    const written = (part: RegExp) =>
      booking.some(({ statements }) => statements.some((text) => part.test(text)));
    expect({
      credited: written(/^insert into `ledger_entries`.*'credit'/),
      reserved: written(/^insert into `ledger_entries`.*'reserve'/),
      spent: written(/^insert into `ledger_entries`.*'post'/),
      funded: written(/^insert into `ledger_entries`.*'fund'/),
    }).toEqual({ credited: true, reserved: true, spent: true, funded: true });
    const late = booking.flatMap(({ statements }) =>
      statements.slice(statements.findIndex(locksBalance)).filter((text) => !mayFollowALock.test(text)),
    );
    expect(late).toEqual([]);
  });
});

function locksBalance(statement: string): boolean {
  return statement.startsWith('update `ledger_accounts`');
}

const mayFollowALock = /^(?:update `ledger_accounts`|insert into `ledger_postings`|COMMIT)/;
