import { createMerchant } from '../../../src/merchants/merchants';
import { openCasesOf } from '../../support/payments/timeline';
import { verify } from '../../../src/verify/verify';
import { box, deposit, transitionTo, refundAll, type NewPayment } from '../../support/verify/books-support';
import { createTestCli, testConfig, type Answer, type TestCli } from '../../support/cli/cli-support';

let cli: TestCli;
let merchant: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  cli = await createTestCli();
  const [loud, quiet] = ['loud', 'quiet'].map((name) => cli.context.rails.get(name));
  if (!loud?.operations.deposit || !quiet?.operations.deposit) throw new Error('the rails take no deposits');
  const purchase = { reference: ['account_reference'] } as const;
  loud.refund = refundAll;
  quiet.refund = { byHand: 'Reverse it in the portal.' };
  loud.operations.deposit.purchase = quiet.operations.deposit.purchase = purchase;
});
beforeEach(async () => {
  ({ merchant_id: merchant } = await createMerchant(cli.db, box, { name: 'Duka', environment: 'sandbox' }));
});
afterEach(async () => {
  const { checks } = await verify(cli.db, cli.context.rails);
  expect(checks.filter(({ violations }) => violations.length > 0)).toEqual([]);
});
afterAll(() => cli.drop());

const paid = (given: Partial<NewPayment> = {}) =>
  deposit(
    cli.context,
    { merchantId: merchant, with: { account_reference: 'ORDER-77' }, ...given },
    ...(['initiating', 'pending', 'succeeded'] as const),
  );
const createDuplicate = async () => [await paid({ rail: 'quiet' }), await paid()] as const;
const because = ['--reason', 'the customer called'];
const newestLine = async () => {
  const line = await cli.db('audit_log').orderBy('seq', 'desc').first();
  return { ...line, details: JSON.parse(line?.details ?? '{}') as Record<string, unknown> };
};
const refundsOf = (depositId: string) => cli.db('payments').where({ parent_id: depositId });

describe('malipo duplicate list', () => {
  it('shows both payments of each open duplicate, of one merchant or of all', async () => {
    expect((await cli.run('duplicate', 'list', '--merchant', merchant)).out).toBe(
      'There is no open duplicate.\n',
    );
    const [first, second] = await createDuplicate();
    expect(await cli.json('duplicate', 'list', '--merchant', merchant)).toMatchObject({
      duplicates: [
        {
          merchant_id: merchant,
          reference: 'ORDER-77',
          first: { payment_id: first, rail: 'quiet', amount: '100.00 KES' },
          second: { payment_id: second, rail: 'loud', amount: '100.00 KES' },
        },
      ],
    });
    const { out } = await cli.run('duplicate', 'list');
    expect(out).toMatch(new RegExp(`ORDER-77 +100\\.00 KES +${first} quiet, .* ${second} loud, `));
    expect((await cli.run('payment', 'show', second)).out).toMatch(
      new RegExp(`possible duplicate of +${first}`),
    );
  });
});

describe('malipo duplicate refund', () => {
  it('uses the refund of the rail, and closes the case once the money is refunded', async () => {
    const [first, second] = await createDuplicate();
    const done = await cli.json('duplicate', 'refund', second, ...because);
    const refundId = String(done['refund_id']);
    expect(done).toMatchObject({ payment_id: second, amount: '100.00', currency: 'KES' });
    expect(await refundsOf(second)).toMatchObject([{ payment_id: refundId, state: 'received' }]);
    expect(await newestLine()).toMatchObject({
      action: 'duplicate.refund',
      subject_id: second,
      details: { refund_id: refundId, given: { reason: 'the customer called' } },
    });
    const found = await cli.db('cases').where({ payment_id: second }).first();
    expect(found?.detail).toContain(`refund ${refundId} of ${second}, requested by `);

    for (const id of [first, second]) {
      const again = await cli.run('duplicate', 'refund', id, ...because);
      expect(again.code).toBe(1);
    }
    for (const state of ['initiating', 'pending', 'succeeded'] as const)
      await transitionTo(cli.context, refundId, state);
    expect(await openCasesOf(cli.db, second)).toEqual([]);
    expect((await cli.run('duplicate', 'refund', second, ...because)).err).toMatch(
      /is not an open duplicate/,
    );
  });

  it('prints the alternative when the rail cannot refund, and refunds the first payment when its rail can', async () => {
    const first = await paid();
    const second = await paid({ rail: 'quiet' });
    const { code, err } = await cli.run('duplicate', 'refund', second, ...because);
    expect(code).toBe(1);
    expect(err).toContain(
      `It can refund the other payment: malipo duplicate refund ${first}. Reverse it in the portal.`,
    );
    expect(await cli.json('duplicate', 'refund', first, ...because)).toMatchObject({ payment_id: first });
  });

  it('refunds once when two operators run it at the same moment, for either payment', async () => {
    const [first, second] = [await paid(), await paid()];
    const answers = await Promise.all(
      [first, second, first].map((id) => cli.run('duplicate', 'refund', id, ...because)),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    expect([...(await refundsOf(first)), ...(await refundsOf(second))]).toHaveLength(1);
  });

  it('refunds nothing that the wallet does not have', async () => {
    const [, second] = await createDuplicate();
    await cli.json(
      ...['wallet', 'adjust', merchant, '--currency', 'KES', '--amount', '-150.00'],
      ...['--reason', 'spent'],
    );
    const { err } = await cli.run('duplicate', 'refund', second, ...because);
    expect(err).toMatch(/balance/i);
    expect(await refundsOf(second)).toEqual([]);
    expect(await openCasesOf(cli.db, second)).toEqual(['duplicate_payment']);
  });
});

describe('malipo duplicate dismiss', () => {
  it('closes the case, and the payment no longer shows the duplicate', async () => {
    const [first, second] = await createDuplicate();
    const wrong = await cli.run('duplicate', 'dismiss', first, ...because);
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining(`dismiss the second one, ${second}`),
    ]);
    await cli.json('duplicate', 'dismiss', second, ...because);
    const payment = await cli.db('payments').where({ payment_id: second }).first();
    expect(payment?.details).not.toHaveProperty('possible_duplicate_of');
    const found = await cli.db('cases').where({ payment_id: second }).first();
    expect(found?.resolution).toBe('no duplicate: the customer called');
    expect(await newestLine()).toMatchObject({ action: 'duplicate.dismiss', subject_id: second });
    expect((await cli.run('duplicate', 'dismiss', second, ...because)).code).toBe(1);
  });

  it.each([
    ['nobody', 'is not an open duplicate'],
    ['ключ', 'is not an id'],
    ['00000000-0000-0000-0000-000000000000', 'is not an open duplicate'],
  ])('fails for %s', async (id, sentence) => {
    expect((await cli.run('duplicate', 'dismiss', id, ...because)).err).toContain(sentence);
  });
});

describe('in live', () => {
  function as(name: string, ...args: string[]): Promise<Answer> {
    cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
    return cli.run(...args, '--json');
  }
  beforeAll(async () => {
    for (const name of ['amina', 'brian']) {
      tokens[name] = String((await cli.json('operator', 'create', name))['token']);
      cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
    }
    cli.session = { config: { ...testConfig(cli.url), environment: 'live' } };
  });

  it('requires a second operator before the refund, and refunds once', async () => {
    const [, second] = await createDuplicate();
    const asked = await as('amina', 'duplicate', 'refund', second, ...because);
    expect(asked.code).toBe(3);
    expect(await refundsOf(second)).toEqual([]);
    const id = String(asked.json['approval_id']);
    expect(await as('brian', 'approve', id)).toMatchObject({ code: 0, json: { payment_id: second } });
    expect(await refundsOf(second)).toHaveLength(1);
    expect(await newestLine()).toMatchObject({
      acted_by: 'amina',
      details: { approval_id: id, approved_by: 'brian' },
    });
    expect((await as('brian', 'approve', id)).code).toBe(1);
    expect((await as('amina', 'duplicate', 'dismiss', second, ...because)).code).toBe(0);
  });
});
