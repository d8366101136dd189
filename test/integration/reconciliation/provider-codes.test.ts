/** The provider's own code of a payment decides between several payments; a line with another code is not a match. */
import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import type { StatementFormat } from '../../../src/reconciliation/statement';
import { openDatabase, type Database } from '../../../src/store/database';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, testContext, transitionTo } from '../../support/verify/books-support';
import {
  file,
  forgetStatements,
  format,
  line,
  period,
  type Written,
} from '../../support/reconciliation/statement-support';

const coded: StatementFormat = { ...format, knownBy: ['provider_receipt'], codeIn: 'confirmation_code' };
const phone = '254711000123';

let test: TestDatabase;
let context: PaymentsContext;
/** With the database account of the service, so a missing privilege fails a test. */
let service: Database;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  context = testContext(test.db);
  service = openDatabase(test.url, { poolMax: 8 });
  ({ merchant_id: merchantId } = await createMerchant(test.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  }));
});
beforeEach(async () => {
  await forgetStatements(test.db);
});
afterEach(async () => {
  await expectClean({ db: test.db });
  // Payments of other tests must not match.
  await test.db('payments').update({ phone_number: '254711999999', details: '{}' as never });
});
afterAll(async () => {
  await service.destroy();
  await test.drop();
});

/** Settled by a status query that returned no receipt. */
async function paid(code?: string): Promise<string> {
  const id = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
  const details = JSON.stringify(code === undefined ? {} : { confirmation_code: code }) as never;
  await test
    .db('payments')
    .where({ payment_id: id })
    .update({ phone_number: phone, provider_receipt: null, provider_reference: null, details });
  return id;
}
const run = (...lines: Written[]) => reconcile(service, coded, period(), file(lines, `${randomUUID()}.json`));
const reported = async () =>
  (await reportOn(service, coded, period())).items.flatMap(({ result, line: of }) =>
    of ? [[of.provider_reference, result.outcome, result.payment_id, result.note]] : [],
  );
const ofLines = async () =>
  (await test.db('reconciliation_results').whereNotNull('line_id').orderBy('line_id')).map(
    ({ outcome, payment_id: id, rule }) => [outcome, id, rule],
  );

it('agrees by our reference when the code is the same or the query returned none', async () => {
  const [one, other] = [await paid('CODE1'), await paid()];
  await run(line('CODE1', { ourReference: one }), line('CODE2', { ourReference: other }));
  expect(await ofLines()).toEqual([
    ['agreed', one, 'agreed:our_reference'],
    ['agreed', other, 'agreed:our_reference'],
  ]);
});

it('is unexplained when the line of our reference has another code, even if all else matches', async () => {
  const id = await paid('CODE3');
  await run(line('CODE4', { ourReference: id, phone }));
  expect(await reported()).toEqual([
    ['CODE4', 'theirs_only', null, "the provider's code of the payment with this reference is CODE3"],
  ]);
  expect((await test.db('payments').where({ payment_id: id }).first())?.provider_receipt).toBeNull();
  // The right line still matches.
  await run(line('CODE3', { ourReference: id }));
  expect((await ofLines()).at(-1)).toEqual(['agreed', id, 'agreed:our_reference']);
});

it('is unexplained when only phone, amount and time match and the codes differ', async () => {
  await paid('CODE5');
  await run(line('CODE6', { phone }));
  expect((await reported()).map(([code, outcome]) => [code, outcome])).toEqual([['CODE6', 'theirs_only']]);
});

it('finds the right payment of a customer with several', async () => {
  const [one] = [await paid('CODE7'), await paid('CODE8'), await paid()];
  await run(line('CODE7', { phone }));
  expect(await ofLines()).toEqual([['agreed', one, 'agreed:without_receipt']]);
  const payment = await test.db('payments').where({ payment_id: one }).first();
  expect([payment?.provider_receipt, payment?.details['named_from']]).toEqual([
    'CODE7',
    "statement, by the provider's code, phone, amount, time",
  ]);
});

it('is not booked again when its type is unknown and the code is the same; another code is further money', async () => {
  const id = await paid('CODE12');
  const other = (code: string, amountMinor: string) =>
    line(code, { kind: 'other', ourReference: id, originalReference: code, amountMinor });
  await run(line('CODE12', { ourReference: id }), other('CODE12', '10000'), other('CODE13', '10000'));
  expect((await reported()).map(([code, outcome, payment]) => [code, outcome, payment])).toEqual([
    ['CODE12', 'amount_differs', id],
    ['CODE13', 'theirs_only', null],
  ]);
  // A refund has a code of its own or that of its payment, and is booked once the provider's query reports it.
  await transitionTo(context, id, 'reversed', { changes: { returned_minor: '10000' } });
  await run(other('CODE14', '-10000'));
  expect((await reported()).at(-1)?.slice(0, 3)).toEqual(['CODE14', 'amount_differs', id]);
});

it('finds nothing when the amount or the reference differs', async () => {
  await paid('CODE10');
  await paid('CODE11');
  await run(line('CODE10', { amountMinor: '9999' }), line('CODE11', { ourReference: 'ORDER-1' }));
  expect((await reported()).map(([code, outcome]) => [code, outcome])).toEqual([
    ['CODE10', 'theirs_only'],
    ['CODE11', 'theirs_only'],
  ]);
});
