/** A statement that was stored by mistake is withdrawn, and the right one is stored. */
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import {
  bookedOn,
  file,
  format,
  line,
  period,
  type Written,
} from '../../support/reconciliation/statement-support';
import { expectClean } from '../../support/expect-clean';
import { box, deposit } from '../../support/verify/books-support';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchantId: string;
beforeAll(async () => {
  cli = await createTestCli();
  ({ merchant_id: merchantId } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
  const rails = cli.context.rails.all.map((rail) =>
    rail.name === 'loud' ? { ...rail, statement: format } : rail,
  );
  cli.session = { context: { ...cli.context, rails: railsOf(rails) } };
});
afterEach(async () => {
  await expectClean({ db: cli.db });
});
afterAll(() => cli.drop());

const bring = async (lines: Written[], name: string) =>
  (await reconcile(cli.db, format, period(), file(lines, name)))?.statementId ?? '';
const report = () => reportOn(cli.db, format, period());
const outcomes = async () => (await report()).sums.map(({ outcome, count }) => [outcome, count]);
const balance = async (code: string) => Number(await bookedOn(cli.db, code));
const books = async () => [await balance('suspense:loudpay:KES'), await balance('provider_fees:loudpay:KES')];
const withdraw = (id: string) =>
  cli.run('provider-statement', 'withdraw', id, '--reason', 'amounts were read a thousand times too small');

it('reverses all its bookings, deletes nothing, and lets the operator store the right file', async () => {
  const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
  const at = new Date().toISOString();
  const lines = (paidMinor: string, unknownMinor: string) => [
    line(`ref-${paid}`, { amountMinor: paidMinor, feeMinor: '3', at }),
    line('STRANGER', { amountMinor: unknownMinor, at }),
    line('CHARGE', { kind: 'fee', amountMinor: '2', at }),
  ];
  const wrong = await bring(lines('10', '20'), 'wrong.json');
  expect(await outcomes()).toEqual([
    ['amount_differs', 1],
    ['fee', 1],
    ['theirs_only', 1],
  ]);
  expect(await books()).toEqual([20, -5]);

  expect(await withdraw(wrong)).toMatchObject({ code: 0, out: expect.stringContaining('3 lines') });
  expect(await books()).toEqual([0, 0]);
  expect(await outcomes()).toEqual([]);
  expect((await report()).isExplained).toBe(true);
  expect(await cli.db('statement_lines').where({ statement_id: wrong })).toHaveLength(3);
  expect((await withdraw(wrong)).err).toContain('is already withdrawn');

  await bring(lines('10000', '20000'), 'right.json');
  expect(await outcomes()).toEqual([
    ['agreed', 1],
    ['fee', 1],
    ['theirs_only', 1],
  ]);
  expect(await books()).toEqual([20_000, -5]);
  // The same file may be right after all.
  const again = await bring(lines('10', '20'), 'again.json');
  expect(again).not.toBe(wrong);
  expect((await withdraw(again)).code).toBe(0);
  expect(await books()).toEqual([20_000, -5]);
});

it('keeps the decisions of operators, and lets the lines of other statements explain the payments', async () => {
  const at = new Date().toISOString();
  const twice = line('TWICE', { at });
  const claimed = line('CLAIMED', { at });
  const first = await bring([twice, claimed], 'first.json');
  await bring([twice], 'second.json');
  const { receipt_id: id = '' } =
    (await cli.db('unmatched_receipts').where({ provider_reference: 'CLAIMED' }).first()) ?? {};
  await cli.run('unmatched', 'assign', id, '--merchant', merchantId, '--reason', 'paid to the till');
  const before = await balance('suspense:loudpay:KES');
  expect(await withdraw(first)).toMatchObject({ code: 0, out: expect.stringContaining('1 line stay') });
  expect(await balance('suspense:loudpay:KES')).toBe(before);
  const unmatched = await cli.db('unmatched_receipts').where({ provider_reference: 'TWICE' }).first();
  const reported = await cli
    .db('statement_lines')
    .where({ line_id: unmatched?.line_id ?? '' })
    .first();
  expect([unmatched?.state, reported?.statement_id === first]).toEqual(['open', false]);
});

it('its unmatched receipts are listed by their state', async () => {
  const id = await bring([line('LISTED')], 'listed.json');
  expect((await withdraw(id)).code).toBe(0);
  const { unmatched_receipts } = (await cli.json('unmatched', 'list', '--state', 'withdrawn')) as {
    unmatched_receipts: { provider_reference: string; state: string }[];
  };
  expect(
    unmatched_receipts.filter(({ provider_reference: reference }) => reference === 'LISTED'),
  ).toMatchObject([{ state: 'withdrawn' }]);
});

it('is fetched, as the preview says, when no file is given', async () => {
  const { out } = await cli.run(
    'reconcile',
    'loud',
    '--from',
    '2026-11-01',
    '--to',
    '2026-11-02',
    '--dry-run',
  );
  expect(out).toContain('loudpay');
  expect(out).not.toContain('No amount and no setting changes');
});
