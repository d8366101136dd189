/** Payments through the whole stack, then the statements that their providers give of them: as files, and by their APIs. */
import { createRails } from '../../../src/rails';
import { railsOf, type Rails } from '../../../src/rail-kit/context';
import { compare, reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { bringStatement, type BroughtStatement } from '../../../src/reconciliation/statement-source';
import { expectClean } from '../../support/expect-clean';
import { paymentIdOf, stkPush, call } from '../../support/merchant-client';
import { ownTokens } from '../../support/own-tokens';
import { atRest, ended } from '../../support/payments/timeline';
import { silentLog } from '../../support/silent-log';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import * as cardproc from '../../support/rails/cardproc/payments';
import { idOf, post, transferBody } from '../../support/rails/momo/payments';
import { simulatorControl, type SimulatorControl } from '../../support/rails/simulator-control';
import * as walletpay from '../../support/rails/walletpay/payments';
import * as xb from '../../support/rails/xb/payments';
import { forgetStatements, hourMs, patiently } from '../../support/reconciliation/statement-support';

const dayMs = 86_400_000;
const patienceMs = 120_000;

type RailName = 'stk' | 'momo' | 'xb' | 'walletpay' | 'cardproc';

let stack: Stack;
let merchant: TestMerchant;
let rails: Rails;
const provider = (rail: RailName): SimulatorControl => simulatorControl(stack.simulatorUrl, rail);

/** Two payments of each rail that succeed. */
const pay: Record<RailName, () => Promise<string[]>> = {
  stk: () =>
    twice(async (n) =>
      paymentIdOf(
        await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ amount: 1_250 + 150 * n })),
      ),
    ),
  momo: () =>
    twice(async (n) =>
      idOf(await post(stack, merchant, 'deposit', transferBody({ amount: `${1_250 + 150 * n}.50` }))),
    ),
  xb: () => twice(async () => (await xb.accepted(stack, merchant)).payment_id),
  walletpay: () => twice(async () => (await walletpay.paidOrder(stack, merchant, provider('walletpay'))).id),
  cardproc: () =>
    twice(async () => {
      const order = await cardproc.cardAccepted(stack, merchant);
      await cardproc.customer(provider('cardproc'), order, 'pay_card');
      return order.payment_id;
    }),
};

async function twice(payOne: (n: number) => Promise<string>): Promise<string[]> {
  return [await payOne(0), await payOne(1)];
}

beforeAll(async () => {
  stack = await startStack({ timeScale: 20 });
  merchant = await stack.createMerchant();
  rails = railsOf(
    createRails({
      environment: 'sandbox',
      publicUrl: stack.apiUrl,
      timezone: 'Africa/Nairobi',
      timeScale: 1_000,
      env: { ...stack.env, STK_PULL_TRANSACTIONS: 'on', STK_PULL_NUMBER: '254722000000' },
      log: silentLog,
      tokens: ownTokens(),
      observe() {},
    }),
  );
  const paid = (await Promise.all(Object.values(pay).map((history) => history()))).flat();
  for (const id of paid) {
    await ended(stack.db, id, ['succeeded'], patienceMs);
    await atRest(stack.db, id, patienceMs);
  }
  // A day later everybody's statement has it all.
  await provider('stk').advance(dayMs);
});
beforeEach(() => forgetStatements(stack.db));
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
});

/** The sandbox's clock runs ahead of the wall's. */
const period = () => ({ from: new Date(Date.now() - 2 * dayMs), to: new Date(Date.now() + 2 * dayMs) });
const formatOf = (rail: RailName): StatementFormat => {
  const { statement } = rails.get(rail);
  if (!statement) throw new Error(`${rail} has no statement`);
  return statement;
};

// All is of today, and 03-11-2026 alone does not show which number is the month.
const dateOrder = 'dmy';

async function bring(rail: RailName, ...faults: string[]): Promise<void> {
  const query = new URLSearchParams([
    ['provider', rail] as [string, string],
    ...faults.map((fault): [string, string] => ['fault', fault]),
  ]);
  const response = await fetch(`${stack.simulatorUrl}/control/statement?${query.toString()}`);
  expect(response.status).toBe(200);
  const content = Buffer.from(await response.arrayBuffer());
  await reconcile(stack.db, formatOf(rail), period(), { name: `${rail}.csv`, content, dateOrder });
}

function fetchOne(rail: RailName, of = period()): Promise<BroughtStatement> {
  const { statementSource: source } = rails.get(rail);
  if (!source || 'missing' in source) throw new Error(`${rail} is not fetched`);
  return bringStatement(stack.db, formatOf(rail), source, of, patiently);
}

/** In pages of one line each. */
async function setFaults(rail: RailName, ...faults: string[]): Promise<void> {
  const body = JSON.stringify({ provider: rail, faults, page_size: 1 });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${stack.simulatorUrl}/control/statement`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
}

async function fetchWith(rail: RailName, ...faults: string[]): Promise<void> {
  await setFaults(rail, ...faults);
  const brought = await fetchOne(rail);
  await setFaults(rail);
  if (brought.kind !== 'kept') throw new Error(`not kept: ${brought.text}`);
  await compare(stack.db, formatOf(rail), period(), brought.statement.statementId);
}

async function found(rail: RailName): Promise<string[]> {
  const { items } = await reportOn(stack.db, formatOf(rail), period());
  return items.map(({ result: { outcome, kind, note } }) => `${outcome} ${kind} ${note}`.trim());
}

const statements = (
  [
    ['stk', 'as a file', bring],
    ['momo', 'as a file', bring],
    ['xb', 'as a file', bring],
    ['walletpay', 'as a file', bring],
    ['cardproc', 'as a file', bring],
    ['stk', 'by its API', fetchWith],
    ['momo', 'by its API', fetchWith],
    ['xb', 'by its API', fetchWith],
    ['walletpay', 'by its API', fetchWith],
  ] as const
).map(([rail, how, get]) => ({ rail, how, get }));
/** What these keep for themselves stands in the line of the payment. */
const feesInLines: RailName[] = ['xb', 'cardproc'];

describe.each(statements)('a statement of $rail $how', ({ rail, how, get }) => {
  it('agrees with our books, and with itself when it comes again', async () => {
    await get(rail);
    expect(await found(rail)).toEqual([]);
    const { sums, isExplained } = await reportOn(stack.db, formatOf(rail), period());
    expect([isExplained, sums]).toEqual([true, [expect.objectContaining({ outcome: 'agreed', count: 2 })]]);
  });

  it.each([
    ['orphan', [/^theirs_only collection no payment has this id$/]],
    ['doubled', [/^seen_before collection as line \d+$/]],
    ['other_amount', [/^amount_differs collection our books say [\d.]+ [A-Z]{3}$/]],
    ['missing', [/^ours_only collection no statement of that time has it$/]],
  ])('with the fault %s has it named', async (fault, reported) => {
    await get(rail, fault);
    expect(await found(rail)).toEqual(reported.map((pattern): unknown => expect.stringMatching(pattern)));
  });

  it('with a fee has it told apart from the payments', async () => {
    await get(rail, 'fee');
    const { feesMinor } = await reportOn(stack.db, formatOf(rail), period());
    if (feesInLines.includes(rail)) expect(feesMinor).toHaveLength(1);
    // Pull Transactions tells of what customers paid, and of nothing else.
    else if (rail === 'stk' && how === 'by its API') expect(await found(rail)).toEqual([]);
    else expect(await found(rail)).toEqual(['fee fee']);
  });

  it('may bring a line late: what was missing is agreed then', async () => {
    await get(rail, 'missing');
    expect(await found(rail)).toHaveLength(1);
    await get(rail, 'late');
    expect((await found(rail)).filter((reported) => !reported.startsWith('seen_before'))).toEqual([]);
  });
});

describe('what a provider took back by hand', () => {
  it.each(['stk', 'walletpay'] as const)(
    'of %s is a refund of what it names, whatever its customer typed, and no fee',
    async (rail) => {
      await bring(rail, 'reversed', 'fee');
      const [taken] = await stack.db('statement_lines').where({ provider_reference: 'REVERSAL01' });
      expect([taken?.kind, taken?.original_reference === null]).toEqual(['refund', false]);
      expect(await found(rail)).toEqual(['fee fee', 'theirs_only refund our payment is succeeded']);
      await bring(rail);
      expect(await found(rail)).toContain('theirs_only refund our payment is succeeded');
    },
  );
});

describe.each([
  // It has nothing of more than two days ago.
  { rail: 'stk', second: { offset: '1' }, unitMs: hourMs },
  { rail: 'xb', second: { page: '2' }, unitMs: dayMs },
  { rail: 'walletpay', second: { page: '2' }, unitMs: dayMs },
] as const)('the API of $rail', ({ rail, second, unitMs }) => {
  // What the ledger has booked of statements that are forgotten stays, under names that nobody looks at.
  const rowsKept = () => stack.db('provider_statements').pluck('statement_id').orderBy('statement_id');
  afterEach(() => fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' }));

  it('is asked again where it is busy for a while', async () => {
    await provider(rail).next({ call: 'statement', behave: '429', times: 2 });
    expect(await fetchOne(rail)).toMatchObject({ kind: 'kept', statement: { lines: 2 } });
  });

  it.each([
    ['fails half way', { behave: '503', times: 5, where: second }],
    ['breaks off in the middle of a page', { behave: 'truncated', times: 5, where: second }],
    ['answers with a page for people', { behave: 'html', times: 5 }],
  ])('that %s has nothing kept', async (_what, rule) => {
    const before = await rowsKept();
    await setFaults(rail);
    await provider(rail).next({ call: 'statement', ...rule });
    expect(await fetchOne(rail)).toMatchObject({ kind: 'unavailable' });
    expect(await rowsKept()).toEqual(before);
  });

  it('has nothing to tell of a night without payments, which is kept as such', async () => {
    const before = await rowsKept();
    const night = (n: number) => ({
      from: new Date(Date.now() - (n + 1) * unitMs),
      to: new Date(Date.now() - n * unitMs),
    });
    for (const n of [20, 21])
      expect(await fetchOne(rail, night(n))).toMatchObject({ statement: { lines: 0 } });
    expect(await rowsKept()).toHaveLength(before.length + 2);
  });
});

describe('the API of momo', () => {
  const rowsKept = () => stack.db('provider_statements').pluck('statement_id').orderBy('statement_id');
  afterEach(() => fetch(`${stack.simulatorUrl}/control/reset`, { method: 'POST' }));

  it('is asked again where it is busy for a while', async () => {
    await provider('momo').next({ call: 'statement', behave: '429', times: 2 });
    await provider('momo').next({ call: 'statement_status', behave: '503', times: 2 });
    await provider('momo').next({ call: 'statement_file', behave: '503', times: 2 });
    expect(await fetchOne('momo')).toMatchObject({ kind: 'kept', statement: { lines: 2 } });
  });

  it.each([
    ['never has it ready', 'statement_status', 'not_ready', 100],
    ['cannot make it', 'statement_status', 'failed', 1],
    ['forgets it', 'statement_status', 'not_found', 1],
    ['gives half of it', 'statement_file', 'truncated', 1],
    ['gives a page for people', 'statement_file', 'html', 1],
    ['is down', 'statement_file', '503', 5],
  ])('that %s has nothing kept', async (_what, call, behave, times) => {
    const before = await rowsKept();
    await provider('momo').next({ call, behave, times });
    expect(await fetchOne('momo')).toMatchObject({ kind: 'unavailable' });
    expect(await rowsKept()).toEqual(before);
  });
});

describe('a statement that the simulator does not have', () => {
  it.each(['provider=bank', 'provider=stk&fault=flood', 'fault=orphan'])('is refused: %s', async (query) => {
    const response = await fetch(`${stack.simulatorUrl}/control/statement?${query}`);
    expect(response.status).toBe(400);
  });

  it.each([{ faults: [] }, { provider: 'xb', faults: ['flood'] }, { provider: 'xb', page_size: 0 }])(
    'has no faults either: %j',
    async (wanted) => {
      const response = await fetch(`${stack.simulatorUrl}/control/statement`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(wanted),
      });
      expect(response.status).toBe(400);
    },
  );
});
