/** Decisions of an operator about money that was sent. */
import { openCase, type CaseReason } from '../../../src/controls/cases';
import { verify } from '../../../src/verify/verify';
import { writeBooks, type Books } from '../../support/verify/books';
import { payOut } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let books: Books;
beforeAll(async () => {
  cli = await createTestCli();
  books = await writeBooks(cli.db);
});
afterAll(() => cli.drop());
afterEach(async () => {
  expect(
    (await verify(cli.db, cli.context.rails)).checks.filter(({ violations }) => violations.length > 0),
  ).toEqual([]);
});

async function caseOf(paymentId: string, reason: CaseReason = 'contradictory_outcome'): Promise<string> {
  await openCase(cli.db, paymentId, { reason, detail: 'not asked' });
  return (
    (await cli.db('cases').where({ payment_id: paymentId, reason }).whereNull('closed_at').first())
      ?.case_id ?? ''
  );
}

const paymentOf = (id: string) => cli.db('payments').where({ payment_id: id }).first();
const resolve = ['case', 'resolve'];
const note = ['--note', 'the statement shows it', '--as', 'amina'];

describe('malipo case resolve of a payout', () => {
  it('returns a payout that the provider or the network returned without a notification', async () => {
    const { merchantId } = books;
    const paymentId = await payOut(cli.context, { merchantId, kind: 'payout' }, 'succeeded');
    const id = await caseOf(paymentId);
    const { out } = await cli.run(...resolve, id, '--outcome', 'returned', ...note);
    expect(out).toContain(`Payment ${paymentId} is now returned`);
    expect(await paymentOf(paymentId)).toMatchObject({ failure_code: 'PAYOUT_RETURNED', corrected: 1 });
    expect((await cli.run('payment', 'show', paymentId)).out).toMatch(/100\.00 KES returned/);
  });

  it('marks a payout as paid with its own amount only', async () => {
    const { merchantId } = books;
    const paymentId = await payOut(cli.context, { merchantId, kind: 'payout' });
    const id = await caseOf(paymentId);
    const outcome = ['--outcome', 'paid'];
    const wrong = await cli.run(...resolve, id, ...outcome, '--amount', '10.00', ...note);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/moves 100\.00 KES, not 10\.00/)]);
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'pending', confirmed_minor: null });
    expect(await cli.run(...resolve, id, ...outcome, '--amount', '100.00', ...note)).toMatchObject({
      code: 0,
    });
    expect(await paymentOf(paymentId)).toMatchObject({ state: 'succeeded', confirmed_minor: '10000' });
  });

  it('does not return a deposit', async () => {
    const id = await caseOf(books.secondSucceeded);
    expect(await cli.run(...resolve, id, '--outcome', 'returned', ...note)).toMatchObject({ code: 1 });
    await cli.json('case', 'resolve', id, ...note);
  });

  it.each(['failed', 'cancelled'] as const)(
    'cannot mark a payout as paid after it was %s: its reserve was already released',
    async (state) => {
      const { merchantId } = books;
      const paymentId = await payOut(cli.context, { merchantId, kind: 'payout' }, state);
      const id = await caseOf(paymentId);
      const refused = await cli.run(...resolve, id, '--outcome', 'paid', '--amount', '100.00', ...note);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`A payout that is ${state}`) });
      expect(refused.err).toContain('assign it to its merchant');
      expect((await cli.db('cases').where({ case_id: id }).first())?.closed_at).toBeNull();
      expect(await paymentOf(paymentId)).toMatchObject({ state, confirmed_minor: null });
      expect(await cli.run(...resolve, id, ...note)).toMatchObject({ code: 0 });
    },
  );
});
