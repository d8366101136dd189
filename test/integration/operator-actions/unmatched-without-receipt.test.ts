/** Decisions about a line that may be the money of a payment that succeeded without a receipt. */
import { randomUUID } from 'node:crypto';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import type { PaymentRow } from '../../../src/store/tables';
import {
  file,
  line,
  period,
  receiptsOnly as format,
  type Written,
} from '../../support/reconciliation/statement-support';
import { expectClean } from '../../support/expect-clean';
import { box, deposit, type NewPayment } from '../../support/verify/books-support';
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

let customers = 0;
const someone = () => `2547${String(++customers).padStart(8, '0')}`;
const bring = (...lines: Written[]) =>
  reconcile(cli.db, format, period(), file(lines, `${randomUUID()}.json`));
const receipt = () => randomUUID().slice(0, 10).toUpperCase();
const receiptRow = (id: string) => cli.db('unmatched_receipts').where({ receipt_id: id }).first();
async function unmatched(of: Written): Promise<string> {
  await bring(of);
  const row = await cli.db('unmatched_receipts').where({ provider_reference: of.providerReference }).first();
  return row?.receipt_id ?? '';
}
const asked = (phone: string, more: Partial<PaymentRow> = {}): NewPayment => ({
  merchantId,
  with: { phone_number: phone, provider_receipt: null, ...more },
});
const settled = (phone: string, more: Partial<PaymentRow> = {}) =>
  deposit(cli.context, asked(phone, more), 'initiating', 'pending', 'succeeded');
/** Two payments that match a line, so the matching chooses neither. */
const two = async (phone: string) => [await settled(phone), await settled(phone)] as const;
const wallet = async () => {
  const found = await cli.db('ledger_accounts').where({ merchant_id: merchantId, class: 'wallet' }).first();
  return Number(found?.balance ?? 0);
};
const reason = ['--reason', 'the customer showed the slip'];
const claim = (id: string, ...whose: string[]) => cli.run('unmatched', 'assign', id, ...whose, ...reason);

describe('malipo unmatched assign --payment for a payment that succeeded without a receipt', () => {
  it('stores the receipt once and books nothing: payment and line are both explained', async () => {
    const phone = someone();
    const [paid, other] = await two(phone);
    const theirs = line(receipt(), { phone });
    const id = await unmatched(theirs);
    const before = await wallet();
    const answers = await Promise.all([claim(id, '--payment', paid), claim(id, '--payment', paid)]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(answers.map(({ out }) => out).join('')).toContain('so this books nothing for it');
    expect(await wallet()).toBe(before);
    expect(await cli.db('payments').where({ payment_id: paid }).first()).toMatchObject({
      ...{ state: 'succeeded', corrected: 0, provider_receipt: theirs.providerReference },
    });
    expect(await cli.db('outbox').where({ payment_id: paid }).pluck('to_state')).toEqual(['succeeded']);
    expect(await receiptRow(id)).toMatchObject({
      state: 'assigned',
      payment_id: paid,
      merchant_id: merchantId,
    });
    const results = await cli.db('reconciliation_results').whereIn('payment_id', [paid, other]);
    expect(results.map(({ outcome, payment_id: of }) => [outcome, of]).sort()).toEqual([
      ['agreed', paid],
      ['ours_only', other],
    ]);
    const audit = await cli.db('audit_log').where({ action: 'unmatched.assign', subject_id: id });
    expect(audit).toHaveLength(1);
    await bring(theirs, line(receipt(), { state: 'failed' }));
    expect([await wallet(), (await receiptRow(id))?.state]).toEqual([before, 'assigned']);
    // Only the other payment is left, so the matching finds its line.
    const own = line(receipt(), { phone });
    await bring(own);
    expect(await cli.db('payments').where({ payment_id: other }).pluck('provider_receipt')).toEqual([
      own.providerReference,
    ]);
  });

  it('rejects another amount, another account, a payment with a receipt, and one that a line explains', async () => {
    const phone = someone();
    const [paid] = await two(phone);
    const id = await unmatched(line(receipt(), { phone }));
    const more = await deposit(
      cli.context,
      { ...asked(someone()), amountMinor: 20_000n },
      ...(['initiating', 'pending', 'succeeded'] as const),
    );
    const quiet = await deposit(cli.context, { ...asked(phone), rail: 'quiet' }, 'initiating', 'pending');
    const known = await settled(someone(), { provider_receipt: receipt() });
    for (const [payment, sentence] of [
      [more, 'another amount or currency'],
      [quiet, 'another account'],
      [known, 'was paid before. Assign further money to the merchant'],
    ] as const) {
      const { code, err } = await claim(id, '--payment', payment);
      expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    }
    expect(await claim(id, '--payment', paid)).toMatchObject({ code: 0 });
    const further = await unmatched(line(receipt()));
    expect((await claim(further, '--payment', paid)).err).toContain('was paid before');
    await claim(further, '--bank');
  });
});

describe('malipo unmatched assign --payment, to another payment than the one that the line may belong to', () => {
  it.each(['the same customer', 'another customer, of another merchant'])(
    'is denied for a failed payment of %s, unless the money came in addition',
    async (whose) => {
      const phone = someone();
      const [paid] = await two(phone);
      const isOther = whose.startsWith('another');
      const { merchant_id: other } = await createMerchant(cli.db, box, {
        name: 'Soko',
        environment: 'sandbox',
      });
      const failed = await deposit(
        cli.context,
        { ...asked(isOther ? someone() : phone), merchantId: isOther ? other : merchantId },
        ...(['initiating', 'pending', 'failed'] as const),
      );
      const id = await unmatched(line(receipt(), { phone }));
      const denied = await claim(id, '--payment', failed);
      expect([denied.code, denied.err]).toEqual([
        1,
        expect.stringMatching(/Its money is booked already.*in addition to payment .*use --beside/),
      ]);
      expect([await receiptRow(id), await cli.db('payments').where({ payment_id: failed }).first()]).toEqual([
        expect.objectContaining({ state: 'open' }),
        expect.objectContaining({ state: 'failed', is_final: 1 }),
      ]);
      expect(await claim(id, '--payment', failed, '--beside', paid)).toMatchObject({ code: 0 });
      expect(await receiptRow(id)).toMatchObject({
        ...{ state: 'assigned', payment_id: failed, beside_payment_id: paid },
      });
    },
  );

  it('is allowed where the line names that payment, or looks like no other that is booked', async () => {
    const phone = someone();
    const open = () => deposit(cli.context, asked(phone), 'initiating', 'pending', 'timed_out');
    const [one, other] = [await open(), await open()];
    const id = await unmatched(line(receipt(), { phone }));
    expect(await claim(id, '--payment', other)).toMatchObject({ code: 0 });
    expect(one).not.toBe(other);
  });
});

describe('malipo unmatched assign for a line that may be the money of a payment without a receipt', () => {
  const givenTo = () => [['--merchant', merchantId], ['--bank']];

  const masked = (phone: string) => `${phone.slice(0, 4)} ***** ${phone.slice(-3)}`;
  it.each<[string, (phone: string) => Partial<Written>]>([
    [
      'with the visible digits of the phone number, and another reference',
      (phone) => ({ phone: masked(phone), ourReference: '600000' }),
    ],
    [
      'with the phone number in its national format, masked',
      (phone) => ({ phone: `0${phone.slice(3, 6)}***${phone.slice(-3)}` }),
    ],
    ['at the same time, without a phone number, and another reference', () => ({ ourReference: '600000' })],
  ])('is denied for a line %s', async (_what, of) => {
    const phone = someone();
    const paid = await settled(phone, { account_reference: 'INV3' });
    const id = await unmatched(line(receipt(), of(phone)));
    const before = await wallet();
    for (const whose of givenTo()) {
      expect(await claim(id, ...whose)).toMatchObject({ code: 1, err: expect.stringContaining(paid) });
    }
    expect(await wallet()).toBe(before);
    expect(await claim(id, '--payment', paid)).toMatchObject({ code: 0 });
  });

  it('is allowed for a line with the digits of another phone number', async () => {
    await settled('254798000111', { account_reference: 'INV4' });
    const id = await unmatched(line(receipt(), { phone: '2547****222', ourReference: '600000' }));
    expect(await claim(id, '--bank')).toMatchObject({ code: 0 });
    await cli.db('payments').where({ phone_number: '254798000111' }).update({ provider_receipt: receipt() });
  });

  it('is denied for a line whose receipt is a damaged copy of the receipt of a payment of the customer', async () => {
    const phone = someone();
    const known = await settled(phone, { provider_receipt: 'UA55TEST01' });
    const id = await unmatched(line('UA55TEST0', { phone }));
    const before = await wallet();
    for (const whose of givenTo()) {
      expect(await claim(id, ...whose)).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /its receipt is damaged in this file.*in addition to payment .*use --beside/,
        ),
      });
    }
    expect(await wallet()).toBe(before);
    await bring(line('UA55TEST01', { phone }));
    expect(await claim(id, '--bank')).toMatchObject({ code: 0 });
    expect(known).not.toBe('');
  });

  it('is denied when too many payments match the line', async () => {
    const phone = someone();
    const first = await settled(phone);
    await cli.db.raw(
      `INSERT INTO payments (payment_id, merchant_id, rail, kind, workflow_id, state, currency, requested_minor,
         instructed_currency, instructed_minor, provider, details, confirmed_minor, phone_number, created_at, finished_at, updated_at)
       SELECT UUID(), merchant_id, rail, kind, UUID(), state, currency, requested_minor,
         instructed_currency, instructed_minor, provider, details, confirmed_minor, phone_number, created_at, finished_at, updated_at
       FROM payments JOIN (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n) a
       JOIN (SELECT 1 AS j UNION SELECT 2 UNION SELECT 3) b
       WHERE payment_id = ?`,
      [first],
    );
    const id = await unmatched(line(receipt(), { phone }));
    const { code, err } = await claim(id, '--merchant', merchantId);
    const unpaid = await deposit(cli.context, asked(phone), 'initiating', 'pending', 'timed_out');
    const toUnpaid = await claim(id, '--payment', unpaid);
    const further = await unmatched(line(receipt(), { phone }));
    const payments = () => cli.db('payments').where({ phone_number: phone });
    await payments().whereNotIn('payment_id', [first, unpaid]).del();
    expect([code, err]).toEqual([1, expect.stringContaining('Too many payments')]);
    expect(toUnpaid).toMatchObject({ code: 0 });
    expect(await claim(further, '--payment', first)).toMatchObject({ code: 0 });
    const approvals = await cli.db('audit_log').where({ action: 'unmatched.assign', subject_id: id });
    expect(approvals.map(({ details }) => JSON.stringify(details)).join()).toContain('too many payments');
  });

  it('is denied for a paid payment of another customer, unless the money came in addition', async () => {
    const phone = someone();
    const mine = await settled(phone);
    const theirs = await settled(someone());
    const id = await unmatched(
      line(receipt(), { phone, at: new Date(Date.now() + 2 * 3_600_000).toISOString() }),
    );
    const denied = await claim(id, '--payment', theirs);
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining(`payment ${mine}`)]);
    expect(await claim(id, '--payment', theirs, '--beside', mine)).toMatchObject({ code: 0 });
    expect(await receiptRow(id)).toMatchObject({ payment_id: theirs, beside_payment_id: mine });
  });

  it('is denied for a wallet, the bank and a return, and names the payment', async () => {
    const phone = someone();
    const [paid] = await two(phone);
    const id = await unmatched(line(receipt(), { phone }));
    const before = await wallet();
    for (const whose of givenTo()) {
      const { code, err } = await claim(id, ...whose);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/no line .* names it.*assign it to payment .*in addition to payment/),
      ]);
    }
    const back = await cli.run('unmatched', 'returned', id, '--reference', receipt(), ...reason);
    expect([back.code, back.err]).toEqual([1, expect.stringContaining('Its money is booked already')]);
    expect([await wallet(), (await receiptRow(id))?.state]).toEqual([before, 'open']);
    const { out } = await cli.run('unmatched', 'show', id);
    expect(out).toMatch(/no receipt[\s\S]*credited twice/);
    expect(await claim(id, '--payment', paid)).toMatchObject({ code: 0 });
  });

  it.each<[string, Partial<PaymentRow>, (phone: string) => Partial<Written>]>([
    ['with another reference', { account_reference: 'SHOES' }, (phone) => ({ phone, ourReference: 'BREAD' })],
    ['with another phone', { account_reference: 'HATS' }, () => ({ phone: someone(), ourReference: 'HATS' })],
    ['without any name', {}, () => ({})],
    ['hours later', {}, (phone) => ({ phone, at: new Date(Date.now() + 2 * 3_600_000).toISOString() })],
  ])('is also denied for a line %s', async (_what, of, more) => {
    const phone = someone();
    const paid = await settled(phone, of);
    const id = await unmatched(line(receipt(), more(phone)));
    const { code, err } = await claim(id, '--merchant', merchantId);
    expect([code, err]).toEqual([1, expect.stringContaining('--beside')]);
    expect(await claim(id, '--payment', paid)).toMatchObject({ code: 0 });
  });

  it('is denied while the payment may still become paid, and can be assigned to it', async () => {
    const phone = someone();
    const open = await deposit(cli.context, asked(phone), 'initiating', 'pending', 'timed_out');
    const id = await unmatched(line(receipt(), { phone }));
    const { code, err } = await claim(id, '--merchant', merchantId);
    expect([code, err]).toEqual([1, expect.stringContaining('may still become paid')]);
    const before = await wallet();
    expect(await claim(id, '--payment', open)).toMatchObject({ code: 0 });
    expect(await wallet()).toBe(before + 10_000);
  });

  it('is allowed for the merchant when the matching payments have their own lines, or failed', async () => {
    const phone = someone();
    const known = receipt();
    await settled(phone, { provider_receipt: known });
    await deposit(cli.context, asked(phone), 'initiating', 'pending', 'failed');
    await bring(line(known, { phone }));
    const id = await unmatched(line(receipt(), { phone }));
    expect(await claim(id, '--merchant', merchantId)).toMatchObject({ code: 0 });
  });

  it('is allowed for the merchant when the operator names the payment to which it is additional', async () => {
    const phone = someone();
    const [paid] = await two(phone);
    const id = await unmatched(line(receipt(), { phone }));
    const another = await settled(someone());
    const before = await wallet();
    const wrong = await claim(id, '--merchant', merchantId, '--beside', another);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('leave out --beside')]);
    expect((await claim(id, '--payment', paid, '--beside', paid)).code).toBe(2);
    expect(await claim(id, '--merchant', merchantId, '--beside', paid)).toMatchObject({ code: 0 });
    expect([await wallet(), (await receiptRow(id))?.beside_payment_id]).toEqual([before + 10_000, paid]);
  });

  it('needs a second operator for that, although no rule requires one', async () => {
    const phone = someone();
    const [paid] = await two(phone);
    const id = await unmatched(line(receipt(), { phone }));
    const tokens: Record<string, string> = {};
    const as = (name: string, ...args: string[]) => {
      cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
      return cli.run(...args, '--json');
    };
    for (const name of ['amina', 'brian']) {
      tokens[name] = String((await cli.json('operator', 'create', name))['token']);
      cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
    }
    const before = await wallet();
    const command = ['unmatched', 'assign', id, '--merchant', merchantId, '--beside', paid, ...reason];
    const waits = await as('amina', ...command);
    expect([waits.code, await wallet()]).toEqual([3, before]);
    expect(await as('brian', 'approve', String(waits.json['approval_id']))).toMatchObject({ code: 0 });
    expect([await wallet(), await receiptRow(id)]).toEqual([
      before + 10_000,
      expect.objectContaining({ assigned_by: 'amina', approved_by: 'brian', beside_payment_id: paid }),
    ]);
    // Other assignments in the sandbox still need one operator only.
    const unknownReceipt = await unmatched(line(receipt(), { phone: someone() }));
    const plain = ['unmatched', 'assign', unknownReceipt, '--merchant', merchantId, ...reason];
    expect(await as('amina', ...plain)).toMatchObject({ code: 0 });
  });
});
