import { v7 as uuid } from 'uuid';
import { backlogAgeMs } from '../../../src/payments/recovery/backlog';
import { unfinishedIds } from '../../../src/payments/recovery/sweeper';
import type { Transaction } from '../../../src/store/database';
import { insertOpenPayments, insertPayment } from '../../support/store/rows';
import { rowsRead } from '../../support/store/rows-read';
import { createTestCli, type TestCli } from '../../support/cli/cli-support';

const many = 20_000;
const shown = 50;

describe(`among ${many.toLocaleString('en')} payments, webhooks and closed cases`, () => {
  let cli: TestCli;
  let merchantId: string;
  beforeAll(async () => {
    cli = await createTestCli();
    const { db } = cli;
    await insertOpenPayments(db, many);
    merchantId = (await db('payments').first('merchant_id'))?.merchant_id ?? '';
    await db('payments').update({ is_final: 1, state: 'succeeded', next_check_at: null });
    await db.raw(`
      INSERT INTO outbox (webhook_id, payment_id, merchant_id, to_state, callback_type, endpoint, body, state, next_at, created_at)
      SELECT UUID(), payment_id, merchant_id, state, 'STK-Push', 'webhook_url', '{}', 'delivered', created_at, created_at
      FROM payments`);
    await db.raw(`
      INSERT INTO cases (payment_id, reason, detail, opened_at, closed_at)
      SELECT payment_id, 'disputed', '-', created_at, created_at FROM payments`);
    await insertPayment(db, { state: 'pending', merchant_id: merchantId });
    await insertPayment(db, { state: 'failed', is_final: 1, next_check_at: null });
    await db('outbox').insert({
      ...{
        webhook_id: uuid(),
        payment_id: uuid(),
        merchant_id: uuid(),
        to_state: 'succeeded',
        state: 'pending',
      },
      ...{ callback_type: 'STK-Push', endpoint: 'webhook_url', body: '{}' },
      ...{ next_at: new Date(), created_at: new Date() },
    });
    await db('cases').insert({ reason: 'disputed', detail: '-', opened_at: new Date(), open_key: 'one' });
    await db.raw('ANALYZE TABLE payments, outbox, cases, inbox');
  });
  afterAll(() => cli.drop());

  const read = (work: (trx: Transaction) => PromiseLike<unknown>) => rowsRead(cli.db, work);
  const listedBy = (...args: string[]) =>
    read(async (trx) => {
      cli.session = { context: { ...cli.context, db: trx } };
      await cli.json(...args);
      cli.session = {};
    });

  it.each([
    'payment list',
    'payment list --state succeeded',
    'payment list --state failed',
    'payment list --state queued',
    'payment list --merchant MERCHANT',
    'payment list --since 1h',
    'payment list --since 1h --state failed',
    'webhook list',
    'webhook list --state delivered',
    'webhook list --state dead',
    'webhook list --merchant MERCHANT',
    'case list',
    'case list --all --limit 50',
    `case list --all --limit 50 --after ${String(many / 2)}`,
    'voucher list',
  ])('malipo %s reads no more rows than it shows', async (command) => {
    const args = command.replace('MERCHANT', merchantId).split(' ');
    expect(await listedBy(...args)).toBeLessThan(3 * shown);
  });

  it('malipo resume and the backlog read only unfinished payments', async () => {
    const { rails } = cli.context;
    expect(await read((db) => unfinishedIds({ db, rails }))).toBeLessThan(shown);
    expect(await read(backlogAgeMs)).toBeLessThan(shown);
    expect(await read((trx) => trx('payments').where({ provider: 'nobody' }))).toBeGreaterThan(many);
  });

  it('shows cases in pages, and each case once', async () => {
    const seen: string[] = [];
    let after: string[] = [];
    for (let page = 0; page < 3; page += 1) {
      const { cases, next_after: next } = await cli.json('case', 'list', '--all', '--limit', '7', ...after);
      seen.push(...(cases as { case_id: string }[]).map(({ case_id: id }) => id));
      after = ['--after', String(next)];
    }
    const first = await cli.db('cases').orderBy('case_id').limit(21).select('case_id');
    expect(seen).toEqual(first.map(({ case_id: id }) => id));
    expect((await cli.run('case', 'list', '--all', '--limit', '1')).out).toContain(
      'There are more cases: --after',
    );
    expect(await cli.json('case', 'list')).toMatchObject({
      cases: [{ detail: '-', closed_at: null }],
      next_after: null,
    });
  });
});
