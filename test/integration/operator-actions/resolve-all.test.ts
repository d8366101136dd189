/** One decision closes all cases that an account problem opened, and none that is about a single payment. */
import { openCase } from '../../../src/controls/cases';
import { findStops } from '../../../src/payments/submit/stopped-accounts';
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

const note = ['--note', 'the statement shows it', '--as', 'amina'];
const paymentOf = (id: string) => cli.db('payments').where({ payment_id: id }).first();
const pendingDeposit = () => deposit(cli.context, { merchantId: books.merchantId }, 'initiating', 'pending');

describe('malipo case resolve --all-of', () => {
  const unknownToProvider = async (stops: string, changes: Record<string, string> = {}) => {
    const paymentId = await pendingDeposit();
    if (Object.keys(changes).length > 0)
      await cli.db('payments').where({ payment_id: paymentId }).update(changes);
    await openCase(cli.db, paymentId, { reason: 'unknown_to_provider', detail: 'NOT_FOUND', stops });
    return paymentId;
  };
  const all = (rail: string) => [
    'case',
    'resolve',
    '--all-of',
    'unknown_to_provider',
    '--rail',
    rail,
    ...note,
  ];
  const openOf = async (...ids: string[]) =>
    (await cli.db('cases').whereIn('payment_id', ids).whereNull('closed_at')).length;

  it('closes the cases of a rail and of its account with one decision, and schedules status checks of the payments', async () => {
    const [one, other] = [
      await unknownToProvider('loud'),
      await unknownToProvider('loud', { rail: 'quiet' }),
    ];
    const another = await unknownToProvider('quiet', { rail: 'quiet' });
    await openCase(cli.db, one, { reason: 'amount_differs', detail: 'not asked' });
    await cli.db('payments').where({ payment_id: one }).update({ next_check_at: null });
    expect(await cli.json(...all('loud'))).toEqual({
      ...{ reason: 'unknown_to_provider', rail: 'loud', closed_by: 'amina', closed: 2 },
    });
    expect(await openOf(other)).toBe(0);
    expect((await paymentOf(one))?.next_check_at).not.toBeNull();
    expect(await findStops(cli.db)).toMatchObject([{ account: 'quiet', cases: 1 }]);
    expect(await cli.db('cases').where({ payment_id: other }).first()).toMatchObject({
      closed_by: 'amina',
      resolution: 'the statement shows it',
    });
    expect(await openOf(one)).toBe(1);
    await cli.json(...all('quiet'));
    expect(await openOf(another)).toBe(0);
    expect((await cli.run(...all('quiet'))).code).not.toBe(0);
  });

  it.each([
    ['neither a case nor a reason', ['case', 'resolve', ...note]],
    ['both', ['case', 'resolve', '1', '--all-of', 'unknown_to_provider', '--rail', 'loud', ...note]],
    ['no rail', ['case', 'resolve', '--all-of', 'unknown_to_provider', ...note]],
    [
      'a reason that is about one payment',
      ['case', 'resolve', '--all-of', 'no_outcome', '--rail', 'loud', ...note],
    ],
    ['a decision', [...all('loud'), '--outcome', 'failed']],
    ['no note', ['case', 'resolve', '--all-of', 'unknown_to_provider', '--rail', 'loud']],
  ])('is a usage error with %s', async (_what, args) => {
    const { code, out } = await cli.run(...args);
    expect([code, out]).toEqual([2, '']);
  });
});
