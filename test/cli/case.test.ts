import { openCase, type CaseReason } from '../../src/payments/cases';
import { recordQuote } from '../../src/fx/quotes';
import { verify } from '../../src/ops/verify/verify';
import { writeBooks, type Books } from '../verify/books';
import { deposit } from '../verify/books-support';
import { createTestCli, type TestCli } from './cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterAll(() => cli.drop());
beforeEach(() => {
  cli.engine.woken.length = 0;
});
afterEach(async () => {
  expect(
    (await verify(cli.db, cli.context.rails)).checks.filter(({ violations }) => violations.length > 0),
  ).toEqual([]);
});

async function caseOf(paymentId: string, reason: CaseReason = 'success_unconfirmed'): Promise<string> {
  await openCase(cli.db, paymentId, { reason, detail: 'not asked' });
  return (
    (await cli.db('cases').where({ payment_id: paymentId, reason }).whereNull('closed_at').first())
      ?.case_id ?? ''
  );
}

const paymentOf = (id: string) => cli.db('payments').where({ payment_id: id }).first();
const pendingDeposit = () => deposit(cli.context, { merchantId: books.merchantId }, 'initiating', 'pending');
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const note = ['--note', 'the statement shows it', '--by', 'amina'];

describe('malipo case list', () => {
  it('shows open cases with what they mean, and closed ones on demand', async () => {
    const id = await caseOf(books.succeeded, 'amount_differs');
    const { code, out } = await cli.run('case', 'list');
    expect(code).toBe(0);
    expect(out).toContain(`${id}: The provider confirmed another amount than we asked for. (not asked)`);
    await cli.json('case', 'resolve', id, ...note);
    expect(await cli.json('case', 'list')).toEqual({ cases: [] });
    expect(await cli.json('case', 'list', '--all')).toMatchObject({
      cases: [{ case_id: id, closed_by: 'amina', resolution: 'the statement shows it' }],
    });
  });

  it('does not understand more', async () => {
    expect(await cli.run('case', 'list', 'open')).toMatchObject({ code: 2 });
  });
});

describe('malipo case resolve', () => {
  it('only closes the case when no decision is given', async () => {
    const id = await caseOf(books.failed);
    const { code, out } = await cli.run('case', 'resolve', id, ...note);
    expect([code, out]).toEqual([0, `Case ${id} is closed by amina.\n`]);
    expect((await paymentOf(books.failed))?.state).toBe('failed');
    expect(cli.engine.woken).toEqual([]);
  });

  it('books what was really paid, tells the merchant, and settles the report', async () => {
    const paymentId = await pendingDeposit();
    await cli.db('inbox').insert({
      rail: 'loud',
      event_key: Buffer.alloc(32, 7),
      payment_id: paymentId,
      body: '{}',
      received_at: new Date(),
      processed_at: new Date(),
    });
    const id = await caseOf(paymentId);
    const { out } = await cli.run('case', 'resolve', id, '--as', 'paid', '--amount', '90.00', ...note);
    expect(out).toContain(`Payment ${paymentId} is succeeded now`);
    expect(await paymentOf(paymentId)).toMatchObject({
      state: 'succeeded',
      confirmed_minor: '9000',
      corrected: 0,
    });
    expect(await cli.db('payment_log').where({ payment_id: paymentId, to_state: 'succeeded' })).toMatchObject(
      [{ cause: 'operator', evidence: `case ${id}, amina: the statement shows it` }],
    );
    expect(await cli.db('outbox').where({ payment_id: paymentId })).toMatchObject([
      { to_state: 'succeeded' },
    ]);
    expect(await cli.db('inbox').where({ payment_id: paymentId })).toMatchObject([
      { state: 'ignored', reason: `case ${id} was decided: paid` },
    ]);
    expect(cli.engine.woken).toEqual([paymentId]);
  });

  it('corrects an ending that was published', async () => {
    const paymentId = await deposit(
      cli.context,
      { merchantId: books.merchantId },
      'initiating',
      'pending',
      'timed_out',
    );
    await cli.json('case', 'resolve', await caseOf(paymentId), '--as', 'paid', '--amount', '100', ...note);
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'succeeded', corrected: 1 });
  });

  it('books an order in other currencies by what was paid in the provider’s, converted as ever', async () => {
    const dollars = {
      merchantId: books.merchantId,
      amountMinor: 129_000n,
      with: { instructed_currency: 'USD', instructed_minor: '996', credited_currency: 'KES' },
    } as const;
    const agreed = { base: 'KES', quote: 'USD', rate: '0.00772201', source: 'test' } as const;
    const ordered = async () => {
      const paymentId = await deposit(cli.context, dollars, 'initiating', 'pending');
      const quote = { ...agreed, observedAt: new Date() };
      await cli.db.transaction((trx) =>
        recordQuote(trx, { paymentId, purpose: 'instruct', quote, fromMinor: 129_000n, toMinor: 996n }),
      );
      return paymentId;
    };
    const decide = async (paymentId: string, amount: string) =>
      cli.run('case', 'resolve', await caseOf(paymentId), '--as', 'paid', '--amount', amount, ...note);

    const asOrdered = await ordered();
    expect((await decide(asOrdered, '9.96')).code).toBe(0);
    expect(await paymentOf(asOrdered)).toMatchObject({ confirmed_minor: '996', credited_minor: '129000' });

    const less = await ordered();
    expect(await decide(less, '5.00')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no fresh rate USD to KES'),
    });
    await cli
      .db('fx_rates')
      .insert({ ...agreed, base: 'USD', quote: 'KES', rate: '130', observed_at: ago(1) });
    const caseId = (await cli.db('cases').where({ payment_id: less }).first())?.case_id ?? '';
    await cli.json('case', 'resolve', caseId, '--as', 'paid', '--amount', '5.00', ...note);
    expect(await paymentOf(less)).toMatchObject({ confirmed_minor: '500', credited_minor: '65000' });
  });

  it('ends a payment as failed', async () => {
    const paymentId = await pendingDeposit();
    await cli.json('case', 'resolve', await caseOf(paymentId), '--as', 'failed', ...note);
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'failed', confirmed_minor: null });
  });

  it('mentions what else is open, and that Temporal could not be told', async () => {
    const paymentId = await pendingDeposit();
    const [id, other] = [await caseOf(paymentId), await caseOf(paymentId, 'success_not_confirmed')];
    cli.engine.fails = () => Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
    const { code, out } = await cli.run('case', 'resolve', id, '--as', 'failed', ...note);
    cli.engine.fails = undefined;
    expect(code).toBe(0);
    expect(out).toContain(`Still open for this payment: case ${other}.`);
    expect(out).toContain('could not be woken');
  });

  it('refuses a decision that the payment cannot take, and leaves the case open', async () => {
    const id = await caseOf(books.secondSucceeded, 'contradictory_outcome');
    expect(await cli.run('case', 'resolve', id, '--as', 'failed', ...note)).toMatchObject({
      code: 1,
      err: 'A payment that is succeeded cannot become failed; the case can be closed without --as.\n',
    });
    expect((await cli.db('cases').where({ case_id: id }).first())?.closed_at).toBeNull();
    expect((await paymentOf(books.secondSucceeded))?.state).toBe('succeeded');
  });

  it('refuses a case that is closed, unknown, or about no payment', async () => {
    const id = await caseOf(books.failed);
    await cli.json('case', 'resolve', id, ...note);
    expect(await cli.run('case', 'resolve', id, ...note)).toMatchObject({
      code: 1,
      err: `No open case ${id}\n`,
    });
    expect(await cli.run('case', 'resolve', '999999', '--as', 'failed', ...note)).toMatchObject({ code: 1 });
    const [orphan] = (await cli
      .db('cases')
      .insert({ reason: 'account_refused', detail: '', opened_at: new Date() })) as [number];
    const refused = await cli.run('case', 'resolve', String(orphan), '--as', 'failed', ...note);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('about no payment') });
  });

  it.each([
    ['no note', []],
    ['an empty note', ['--note', ' ']],
    ['paid without an amount', ['--as', 'paid', ...note]],
    ['failed with an amount', ['--as', 'failed', '--amount', '1', ...note]],
    ['another decision', ['--as', 'refunded', ...note]],
  ])('does not understand %s', async (_, options) => {
    expect(await cli.run('case', 'resolve', '1', ...options)).toMatchObject({ code: 2, out: '' });
  });
});
