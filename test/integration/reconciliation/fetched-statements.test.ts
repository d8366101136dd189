/** Nightly fetches of the same days, in one database. */
import { createMerchant } from '../../../src/merchants/merchants';
import type { PaymentsContext } from '../../../src/rail-kit/context';
import { compare, reconcile } from '../../../src/reconciliation/reconcile';
import { bringStatement } from '../../../src/reconciliation/statement-source';
import { expectClean } from '../../support/expect-clean';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { box, deposit, testContext } from '../../support/verify/books-support';
import {
  file,
  format,
  line,
  patiently,
  period,
  remembered,
  type Written,
} from '../../support/reconciliation/statement-support';

let test: TestDatabase;
let context: PaymentsContext;
let merchantId: string;
beforeAll(async () => {
  test = await createTestDatabase();
  context = testContext(test.db);
  ({ merchant_id: merchantId } = await createMerchant(test.db, box, {
    name: 'Duka',
    environment: 'sandbox',
  }));
});
afterAll(async () => {
  await expectClean(test);
  await test.drop();
});

const kept = () => remembered(test.db);
const linesSince = async (before: Awaited<ReturnType<typeof kept>>) =>
  (await kept()).lines
    .slice(before.lines.length)
    .map(({ provider_reference: id, state, amount_minor: minor }) => `${id} ${state} ${minor}`);

async function night(...lines: Written[]) {
  const covers = period();
  const fetch = () => Promise.resolve({ kind: 'fetched', ...file(lines), covers } as const);
  const brought = await bringStatement(test.db, format, { fetch }, covers, patiently);
  if (brought.kind !== 'kept') throw new Error(brought.text);
  await compare(test.db, format, covers, brought.statement.statementId);
  return brought.statement;
}

describe('a line of a fetched statement', () => {
  it('is stored once, and again when it has changed', async () => {
    const paid = await deposit(context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const same = [line(`ref-${paid}`, { feeMinor: '30' }), line('stranger'), line('twice'), line('twice')];
    const fee = line(`ref-${paid}`, { kind: 'fee', amountMinor: '150' });
    expect(await night(...same, fee, line('open', { state: 'pending' }))).toMatchObject({ lines: 6 });
    const before = await kept();
    expect(await night(...same, fee, line('open'), line('later'))).toMatchObject({ lines: 2 });
    expect(await linesSince(before)).toEqual(['open completed 10000', 'later completed 10000']);
    const differs = [line('stranger', { amountMinor: '9' }), { ...fee, amountMinor: '60' }];
    expect(await night(...same, ...differs)).toMatchObject({ lines: 2 });
    expect(await night(...differs)).toMatchObject({ lines: 0 });
    const { statements, lines, results, unmatchedReceipts } = await kept();
    expect(statements).toHaveLength(4);
    expect(results).toHaveLength(lines.length);
    expect(unmatchedReceipts.map(({ provider_reference: id }) => id)).toEqual([
      'stranger',
      'twice',
      'open',
      'later',
    ]);
  });

  it('is stored with its file when an operator uploads it', async () => {
    const lines = [line('brought'), line('with it')];
    await night(...lines);
    const before = await kept();
    await reconcile(test.db, format, period(), file([...lines, line('new')]));
    expect(await linesSince(before)).toHaveLength(3);
  });
});
