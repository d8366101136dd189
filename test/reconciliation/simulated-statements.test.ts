/** Payments through the whole stack, then the statements that their providers give of them. */
import { reconcile } from '../../src/reconciliation/reconcile';
import { reportOn } from '../../src/reconciliation/report';
import type { StatementFormat } from '../../src/reconciliation/statement';
import { pawapayStatement } from '../../src/rails/momo/providers/pawapay/statement';
import { darajaStatement } from '../../src/rails/stk/providers/daraja/statement';
import { expectClean } from '../support/expect-clean';
import { paymentIdOf, stkPush, call } from '../support/merchant-client';
import { atRest, ended } from '../support/payment-story';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { idOf, post, transferBody } from '../rails/momo/payment-story';
import { forgetStatements } from './statement-support';

const dayMs = 86_400_000;
const patienceMs = 120_000;

let stack: Stack;
let merchant: TestMerchant;
const paid = { stk: [] as string[], momo: [] as string[] };
beforeAll(async () => {
  stack = await startStack({ timeScale: 20 });
  merchant = await stack.createMerchant();
  for (const amount of [1250, 1_400]) {
    const push = await call(stack, merchant, 'POST', '/api/v1/stk_push', stkPush({ amount }));
    paid.stk.push(paymentIdOf(push));
    const deposit = await post(stack, merchant, 'deposit', transferBody({ amount: `${amount}.50` }));
    paid.momo.push(idOf(deposit));
  }
  for (const id of [...paid.stk, ...paid.momo]) {
    await ended(stack.db, id, ['succeeded'], patienceMs);
    await atRest(stack.db, id, patienceMs);
  }
}, 240_000);
beforeEach(() => forgetStatements(stack.db));
afterAll(async () => {
  await expectClean(stack);
  await stack.stop();
});

/** The sandbox's clock runs ahead of the wall's. */
const period = () => ({ from: new Date(Date.now() - 2 * dayMs), to: new Date(Date.now() + 2 * dayMs) });

// All is of today, and 03-11-2026 alone does not show which number is the month.
const dateOrders = { stk: 'dmy', momo: undefined } as const;

async function bring(rail: 'stk' | 'momo', format: StatementFormat, ...faults: string[]): Promise<void> {
  const query = new URLSearchParams([
    ['provider', rail] as [string, string],
    ...faults.map((fault): [string, string] => ['fault', fault]),
  ]);
  const response = await fetch(`${stack.simulatorUrl}/control/statement?${query.toString()}`);
  expect(response.status).toBe(200);
  const content = Buffer.from(await response.arrayBuffer());
  await reconcile(stack.db, format, period(), { name: `${rail}.csv`, content, dateOrder: dateOrders[rail] });
}

async function found(format: StatementFormat): Promise<string[]> {
  const { items } = await reportOn(stack.db, format, period());
  return items.map(({ result: { outcome, kind, note } }) => `${outcome} ${kind} ${note}`.trim());
}

const statements = [
  ['stk', darajaStatement],
  ['momo', pawapayStatement],
] as const;

describe.each(statements)('a statement of %s', (rail, format) => {
  it('agrees with our books, and with itself when it comes again', async () => {
    await bring(rail, format);
    expect(await found(format)).toEqual([]);
    const { sums, isExplained } = await reportOn(stack.db, format, period());
    expect([isExplained, sums]).toEqual([true, [expect.objectContaining({ outcome: 'agreed', count: 2 })]]);
    await bring(rail, format);
    expect(await found(format)).toEqual([]);
  });

  it.each([
    ['orphan', [/^theirs_only collection no payment has this id$/]],
    ['doubled', [/^seen_before collection as line \d+$/]],
    ['other_amount', [/^amount_differs collection our books say 1[24]\d0\.[05]0 (?:KES|ZMW)$/]],
    ['missing', [/^ours_only collection no statement of that time has it$/]],
    ['fee', [/^fee fee$/]],
  ])('with the fault %s has it named', async (fault, told) => {
    await bring(rail, format, fault);
    expect(await found(format)).toEqual(told.map((pattern): unknown => expect.stringMatching(pattern)));
  });

  it('may bring a line late: what was missing is agreed then', async () => {
    await bring(rail, format, 'missing');
    expect(await found(format)).toHaveLength(1);
    await bring(rail, format, 'late');
    expect(await found(format)).toEqual([]);
  });
});

describe('a statement that the simulator does not have', () => {
  it.each(['provider=xb', 'provider=stk&fault=flood', 'fault=orphan'])('is refused: %s', async (query) => {
    const response = await fetch(`${stack.simulatorUrl}/control/statement?${query}`);
    expect(response.status).toBe(400);
  });
});
