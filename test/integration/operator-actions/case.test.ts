import { openCase, openRailCase, type CaseReason } from '../../../src/controls/cases';
import { inTransaction } from '../../../src/store/transaction';
import { recordQuote } from '../../../src/fx/rates';
import { verify } from '../../../src/verify/verify';
import { writeBooks, type Books } from '../../support/verify/books';
import { deposit } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterAll(() => cli.drop());
beforeEach(() => {
  cli.engine.signalled.length = 0;
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
/** A deposit for which the provider’s answer was lost. */
async function unnamedDeposit(): Promise<string> {
  const paymentId = await pendingDeposit();
  await cli.db('payments').where({ payment_id: paymentId }).update({ provider_reference: null });
  return paymentId;
}
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
const resolve = ['case', 'resolve'];
const paid = ['--outcome', 'paid', '--amount', '100.00'];
const note = ['--note', 'the statement shows it', '--as', 'amina'];

describe('malipo case list', () => {
  it('shows open cases with their meaning, and closed ones with --all', async () => {
    const id = await caseOf(books.succeeded, 'amount_differs');
    const { code, out } = await cli.run('case', 'list');
    expect(code).toBe(0);
    expect(out).toContain(`${id}: The provider confirmed another amount than we requested. (not asked)`);
    await cli.json('case', 'resolve', id, ...note);
    expect(await cli.json('case', 'list')).toEqual({ cases: [], next_after: null });
    expect(await cli.json('case', 'list', '--all')).toMatchObject({
      cases: [{ case_id: id, closed_by: 'amina', resolution: 'the statement shows it' }],
    });
  });

  it('shows how many notifications one case covers', async () => {
    for (const item of ['inbox 7', 'inbox 9']) {
      await inTransaction(cli.db, (trx) => openRailCase(trx, 'xb', 'unmatched_notification', item));
    }
    const { out } = await cli.run('case', 'list');
    expect(out).toContain('(of rail xb: inbox 7, inbox 9; 2 times)');
    await cli.db('cases').update({ closed_at: new Date(), open_key: null });
  });

  it('rejects further arguments', async () => {
    expect(await cli.run('case', 'list', 'open')).toMatchObject({ code: 2 });
  });
});

describe('malipo case resolve', () => {
  it('only closes the case without a decision', async () => {
    const id = await caseOf(books.failed);
    const { code, out } = await cli.run('case', 'resolve', id, ...note);
    expect([code, out]).toEqual([0, `Case ${id} is closed by amina.\n`]);
    expect((await paymentOf(books.failed))?.state).toBe('failed');
    expect(cli.engine.signalled).toEqual([]);
  });

  it('books the amount that was paid, writes a webhook, and closes the unverified notification', async () => {
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
    const { out } = await cli.run(...resolve, id, '--outcome', 'paid', '--amount', '90.00', ...note);
    expect(out).toContain(`Payment ${paymentId} is now succeeded`);
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
    expect(cli.engine.signalled).toEqual([paymentId]);
  });

  it('corrects a final state that was published', async () => {
    const paymentId = await deposit(
      cli.context,
      { merchantId: books.merchantId },
      'initiating',
      'pending',
      'timed_out',
    );
    await cli.json(...resolve, await caseOf(paymentId), '--outcome', 'paid', '--amount', '100', ...note);
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'succeeded', corrected: 1 });
  });

  it('books an order in other currencies by the paid amount in the provider’s currency, converted at the usual rate', async () => {
    const dollars = {
      merchantId: books.merchantId,
      amountMinor: 129_000n,
      with: { instructed_currency: 'USD', instructed_minor: '997', credited_currency: 'KES' },
    } as const;
    const agreed = { base: 'KES', quote: 'USD', rate: '0.00772201', source: 'test' } as const;
    const ordered = async () => {
      const paymentId = await deposit(cli.context, dollars, 'initiating', 'pending');
      const quote = { ...agreed, observedAt: new Date() };
      await cli.db.transaction((trx) =>
        recordQuote(trx, {
          paymentId,
          purpose: 'instruct',
          quote,
          fromMinor: 129_000n,
          toMinor: 997n,
          roundingMinor: 1n,
        }),
      );
      return paymentId;
    };
    const decide = async (paymentId: string, amount: string) =>
      cli.run(...resolve, await caseOf(paymentId), '--outcome', 'paid', '--amount', amount, ...note);

    const asOrdered = await ordered();
    expect((await decide(asOrdered, '9.97')).code).toBe(0);
    expect(await paymentOf(asOrdered)).toMatchObject({ confirmed_minor: '997', credited_minor: '129000' });

    const less = await ordered();
    expect(await decide(less, '5.00')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no fresh rate USD to KES'),
    });
    await cli
      .db('fx_rates')
      .insert({ ...agreed, base: 'USD', quote: 'KES', rate: '130', observed_at: ago(1) });
    const caseId = (await cli.db('cases').where({ payment_id: less }).first())?.case_id ?? '';
    await cli.json(...resolve, caseId, '--outcome', 'paid', '--amount', '5.00', ...note);
    expect(await paymentOf(less)).toMatchObject({ confirmed_minor: '500', credited_minor: '65000' });
  });

  it('marks a payment as failed', async () => {
    const paymentId = await pendingDeposit();
    await cli.json(...resolve, await caseOf(paymentId), '--outcome', 'failed', ...note);
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'failed', confirmed_minor: null });
  });

  it('prints the other open case, and that Temporal could not be signalled', async () => {
    const paymentId = await pendingDeposit();
    const [id, other] = [await caseOf(paymentId), await caseOf(paymentId, 'success_not_confirmed')];
    cli.engine.fails = () => Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
    const { code, out } = await cli.run(...resolve, id, '--outcome', 'failed', ...note);
    cli.engine.fails = undefined;
    expect(code).toBe(0);
    expect(out).toContain(`Still open for this payment: case ${other}.`);
    expect(out).toContain('could not be signalled');
  });

  describe('with --reference', () => {
    const resolve = (id: string, reference: string) =>
      cli.run('case', 'resolve', id, ...paid, '--reference', reference, ...note);
    const referenceOf = async (id: string) => (await paymentOf(id))?.provider_reference;

    it('stores the provider reference of a payment whose answer was lost', async () => {
      const paymentId = await unnamedDeposit();
      expect(await resolve(await caseOf(paymentId), 'ws_CO_FOUND1')).toMatchObject({ code: 0 });
      expect(await paymentOf(paymentId)).toMatchObject({
        state: 'succeeded',
        confirmed_minor: '10000',
        provider_reference: 'ws_CO_FOUND1',
      });
    });

    it('accepts the stored reference and no other', async () => {
      const paymentId = await pendingDeposit();
      await cli.db('payments').where({ payment_id: paymentId }).update({ provider_reference: 'ws_CO_KNOWN' });
      const id = await caseOf(paymentId);
      expect(await resolve(id, 'ws_CO_OTHER')).toMatchObject({
        code: 1,
        err: "The provider's reference of this payment is ws_CO_KNOWN.\n",
      });
      expect(await paymentOf(paymentId)).toMatchObject({ state: 'pending' });
      expect((await cli.db('cases').where({ case_id: id }).first())?.closed_at).toBeNull();
      expect(await resolve(id, 'ws_CO_KNOWN')).toMatchObject({ code: 0 });
    });

    it('rejects the reference of another payment, and books nothing', async () => {
      const paymentId = await unnamedDeposit();
      const paymentOfIt = (await cli.db('payments').where({ provider_reference: 'ws_CO_FOUND1' }).first())
        ?.payment_id;
      expect(await resolve(await caseOf(paymentId), 'ws_CO_FOUND1')).toMatchObject({
        code: 1,
        err: `ws_CO_FOUND1 belongs to payment ${paymentOfIt ?? ''}.\n`,
      });
      expect(await paymentOf(paymentId)).toMatchObject({ state: 'pending', confirmed_minor: null });
    });

    it('gives a reference to one payment only, even if several cases are decided at once', async () => {
      const payments = await Promise.all(Array.from({ length: 4 }, unnamedDeposit));
      const cases = await Promise.all(payments.map((id) => caseOf(id)));
      const answers = await Promise.all(cases.map((id) => resolve(id, 'ws_CO_FOUND2')));
      expect(answers.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1]);
      for (const { code, err } of answers)
        expect(err).toMatch(code === 0 ? /^$/ : /^ws_CO_FOUND2 belongs to /);
      const references = await Promise.all(payments.map(referenceOf));
      expect(references.filter((reference) => reference !== null)).toEqual(['ws_CO_FOUND2']);
    });
  });

  it.each([
    ['note', ['--note', 'paid with 4111 1111 1111 1111']],
    ['name', ['--note', 'so', '--as', '4111111111111111']],
    ['reference', [...paid, '--reference', '4111-1111-1111-1111', ...note]],
  ])('stores no card number that was typed into the %s', async (field, options) => {
    const id = await caseOf(books.failed, 'no_outcome');
    const refused = await cli.run('case', 'resolve', id, ...options);
    expect(refused).toMatchObject({
      code: 2,
      err: `The ${field} seems to contain a payment card number, which Malipo never stores.\n`,
    });
    expect((await cli.db('cases').where({ case_id: id }).first())?.closed_at).toBeNull();
    await cli.json('case', 'resolve', id, ...note);
  });

  it('rejects a decision that the payment’s state does not allow, and leaves the case open', async () => {
    const id = await caseOf(books.secondSucceeded, 'contradictory_outcome');
    expect(await cli.run(...resolve, id, '--outcome', 'failed', ...note)).toMatchObject({
      code: 1,
      err: 'A payment that is succeeded cannot become failed. You can close the case without an outcome.\n',
    });
    expect((await cli.db('cases').where({ case_id: id }).first())?.closed_at).toBeNull();
    expect((await paymentOf(books.secondSucceeded))?.state).toBe('succeeded');
  });

  it('rejects a case that is closed, unknown, or about no payment', async () => {
    const id = await caseOf(books.failed);
    await cli.json('case', 'resolve', id, ...note);
    expect(await cli.run('case', 'resolve', id, ...note)).toMatchObject({
      code: 1,
      err: `No open case ${id}\n`,
    });
    expect(await cli.run(...resolve, '999999', '--outcome', 'failed', ...note)).toMatchObject({
      code: 1,
    });
    const [unmatched] = (await cli
      .db('cases')
      .insert({ reason: 'account_refused', detail: '', opened_at: new Date() })) as [number];
    const refused = await cli.run(...resolve, String(unmatched), '--outcome', 'failed', ...note);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('not about a payment') });
  });

  it.each([
    ['no note', []],
    ['an empty note', ['--note', ' ']],
    ['paid without an amount', ['--outcome', 'paid', ...note]],
    ['failed with an amount', ['--outcome', 'failed', '--amount', '1', ...note]],
    ['an unknown decision', ['--outcome', 'refunded', ...note]],
    ['a reference without a decision', ['--reference', 'ws_CO_1', ...note]],
    ['a reference with failed', ['--outcome', 'failed', '--reference', 'ws_CO_1', ...note]],
    ['an empty reference', [...paid, '--reference', '', ...note]],
    ['a reference of two words', [...paid, '--reference', 'ws CO', ...note]],
    ['a reference that is too long', [...paid, '--reference', 'x'.repeat(121), ...note]],
    ['a note that is too long', ['--note', 'x'.repeat(351)]],
    ['an operator name that is too long', ['--note', 'so', '--as', 'x'.repeat(101)]],
  ])('rejects %s', async (_, options) => {
    expect(await cli.run('case', 'resolve', '1', ...options)).toMatchObject({ code: 2, out: '' });
  });
});
