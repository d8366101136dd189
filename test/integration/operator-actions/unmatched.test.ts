import { randomUUID } from 'node:crypto';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
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
import { box, deposit, transitionTo, payOut } from '../../support/verify/books-support';
import { createTestCli, testConfig, type TestCli } from '../../support/cli/cli-support';

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
beforeEach(() => {
  cli.engine.signalled.length = 0;
});
afterEach(async () => {
  await expectClean({ db: cli.db });
});
afterAll(() => cli.drop());

const bring = (...lines: Written[]) =>
  reconcile(cli.db, format, period(), file(lines, `${randomUUID()}.json`));
const check = () => reconcile(cli.db, format, period());
const unknownLine = (more: Partial<Written> = {}) => line(randomUUID(), more);
const unmatchedOf = async ({ providerReference }: Written) =>
  cli.db('unmatched_receipts').where({ provider_reference: providerReference }).first();
/** @returns the id of the receipt. */
async function unmatched(of = unknownLine()): Promise<string> {
  await bring(of);
  return (await unmatchedOf(of))?.receipt_id ?? '';
}
const outcomeOf = async ({ providerReference }: Written) => {
  const { items } = await reportOn(cli.db, format, period());
  return (
    items.find((item) => item.line?.provider_reference === providerReference)?.result.outcome ?? 'agreed'
  );
};
const wallet = async () => {
  const found = await cli.db('ledger_accounts').where({ merchant_id: merchantId, class: 'wallet' }).first();
  return Number(found?.balance ?? 0);
};
const reason = ['--reason', 'the customer showed the slip'];
const unpaid = () => deposit(cli.context, { merchantId }, 'initiating', 'pending', 'timed_out');

describe('malipo unmatched assign --fee', () => {
  it('books outgoing money as a fee of the provider, and rejects incoming money', async () => {
    const fees = async () => Number(await bookedOn(cli.db, 'provider_fees:loudpay:KES'));
    const charge = unknownLine({ kind: 'fee', amountMinor: '900000' });
    const id = await unmatched(charge);
    const before = await fees();
    expect((await cli.run('unmatched', 'assign', id, '--fee', ...reason)).code).toBe(0);
    await check();
    expect(await outcomeOf(charge)).toBe('theirs_only');
    expect([await fees(), (await unmatchedOf(charge))?.state]).toEqual([before - 900_000, 'assigned']);
    const refused = await cli.run('unmatched', 'assign', await unmatched(), '--fee', ...reason);
    expect(refused.err).toContain('is incoming money, so it is not a fee');
  });
});

describe('malipo unmatched assign for a line that returns the money of a paid payment', () => {
  const returnsOf = async (paymentId: string) =>
    unmatched(unknownLine({ kind: 'refund', originalReference: `ref-${paymentId}` }));
  const watched = (afterSuccessChecksMs?: number[]) => {
    const rails = cli.context.rails.all.map((rail) => {
      const { deposit: operation } = rail.operations;
      if (rail.name !== 'loud' || !operation) return rail;
      const policy = { ...operation.policy, ...(afterSuccessChecksMs && { afterSuccessChecksMs }) };
      return {
        ...rail,
        statement: format,
        operations: { ...rail.operations, deposit: { ...operation, policy } },
      };
    });
    cli.session = { context: { ...cli.context, rails: railsOf(rails) } };
  };
  afterEach(() => {
    watched();
  });

  it('is denied where its next check books the return, unless two operators state that it never will', async () => {
    watched([86_400_000]);
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const id = await returnsOf(paid);
    const before = await wallet();
    for (const whose of [
      ['assign', id, '--merchant', merchantId],
      ['assign', id, '--bank'],
    ]) {
      const { code, err } = await cli.run('unmatched', ...whose, ...reason);
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('The next check of that payment books the return'),
      ]);
    }
    expect(await wallet()).toBe(before);
    const beside = ['--merchant', merchantId, '--beside', paid];
    expect(await cli.run('unmatched', 'assign', id, ...beside, ...reason)).toMatchObject({ code: 0 });
    expect(await wallet()).toBe(before - 10_000);
  });

  it('is denied for a line of an unknown type, too', async () => {
    watched([86_400_000]);
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const id = await unmatched(line(`ref-${paid}`, { kind: 'other', amountMinor: '-10000' }));
    const { code, err } = await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining(`of payment ${paid}`)]);
    expect(await cli.run('unmatched', 'assign', id, '--bank', '--beside', paid, ...reason)).toMatchObject({
      code: 0,
    });
  });

  it('is allowed where nothing polls the provider for it', async () => {
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const id = await returnsOf(paid);
    const assigned = await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason);
    expect(assigned).toMatchObject({ code: 0 });
  });
});

describe('malipo unmatched assign --payment', () => {
  it.each([
    ['that no payment has', randomUUID(), 'There is no payment'],
    ['that is invalid', 'señor', 'is not an id'],
  ])('rejects with a sentence an id %s', async (_, of, sentence) => {
    const id = await unmatched();
    for (const which of ['--payment', '--merchant']) {
      const refused = await cli.run('unmatched', 'assign', id, which, of, ...reason);
      expect(refused.code).toBeGreaterThan(0);
      expect(refused.err).not.toMatch(/collation|does not exist|fault/i);
      if (which === '--payment') expect(refused.err).toContain(sentence);
    }
    expect(await cli.db('unmatched_receipts').where({ receipt_id: id }).pluck('state')).toEqual(['open']);
  });
});

describe('malipo unmatched list and show', () => {
  it('show open receipts and their likely owners', async () => {
    const asked = { merchantId, with: { phone_number: '254712345678' } };
    const owner = await deposit(cli.context, asked, 'initiating', 'pending', 'timed_out');
    const theirs = unknownLine({ phone: '+254 712 345678' });
    const id = await unmatched(theirs);
    expect((await cli.run('unmatched', 'list', '--provider', 'loudpay')).out).toContain(
      theirs.providerReference,
    );
    expect((await cli.run('unmatched', 'list', '--provider', 'other')).out).toBe(
      'No unmatched receipt is open.\n',
    );
    const { out } = await cli.run('unmatched', 'show', id);
    expect(out).toMatch(/amount +100\.00 KES/);
    expect(out).toMatch(new RegExp(`may belong to\\n +${owner} of .*timed_out.*phone, amount`));
    expect((await cli.json('unmatched', 'show', id))['likely_owners']).toHaveLength(1);
    expect((await cli.run('unmatched', 'show', '999999')).code).toBe(1);
  });
});

describe('malipo unmatched assign --merchant', () => {
  it('books it on the wallet once, with a line in the merchant’s statement and in the audit log', async () => {
    const theirs = unknownLine();
    const id = await unmatched(theirs);
    const before = await wallet();
    const claim = () => cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason);
    const answers = await Promise.all([claim(), claim(), claim()]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    expect((await claim()).err).toContain('is already assigned');
    expect(await wallet()).toBe(before + 10_000);
    const [entry] = await cli
      .db('ledger_entries')
      .where({ source_type: 'unmatched', source_id: id, leg: 'assigned:1' });
    expect(entry?.reason).toBe('the customer showed the slip');
    const audit = await cli.db('audit_log').where({ action: 'unmatched.assign', subject_id: id });
    expect(audit).toHaveLength(1);
    // A day in the time zone of the deployment.
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Nairobi' }).format(new Date());
    const statement = ['statement', merchantId, '--currency', 'KES', '--from', today, '--to', today];
    expect((await cli.run(...statement)).out).toContain('assigned');
    // Reconciled again, it is neither a new unmatched receipt nor unexplained.
    await bring(theirs, unknownLine({ state: 'failed' }));
    expect(await unmatchedOf(theirs)).toMatchObject({ state: 'assigned', merchant_id: merchantId });
    expect(await wallet()).toBe(before + 10_000);
  });

  it('debits the wallet for an outgoing receipt, and never more than its balance', async () => {
    const before = await wallet();
    const id = await unmatched(unknownLine({ kind: 'payout', amountMinor: '1000' }));
    expect(await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason)).toMatchObject({
      code: 0,
    });
    expect(await wallet()).toBe(before - 1_000);
    const more = await unmatched(unknownLine({ kind: 'payout', amountMinor: '99000000' }));
    expect((await cli.run('unmatched', 'assign', more, '--merchant', merchantId, ...reason)).code).toBe(1);
    expect(await wallet()).toBe(before - 1_000);
    expect(await cli.run('unmatched', 'assign', more, '--bank', ...reason)).toMatchObject({ code: 0 });
  });
});

describe('malipo unmatched assign for a line that names a payment which may still become paid', () => {
  it('is allowed for that payment only', async () => {
    const paymentId = await unpaid();
    const id = await unmatched(line(`ref-${paymentId}`));
    const before = await wallet();
    const claim = (...whose: string[]) => cli.run('unmatched', 'assign', id, ...whose, ...reason);
    for (const whose of [['--merchant', merchantId], ['--bank'], ['--payment', await unpaid()]]) {
      const { code, err } = await claim(...whose);
      expect([code, err]).toEqual([1, expect.stringContaining('assign it to that payment')]);
    }
    expect(await wallet()).toBe(before);
    expect(await claim('--payment', paymentId)).toMatchObject({ code: 0 });
    expect(await wallet()).toBe(before + 10_000);
  });

  it('is denied once the books explain it, even before the next reconciliation', async () => {
    const paymentId = await unpaid();
    const theirs = line(`ref-${paymentId}`);
    const id = await unmatched(theirs);
    await transitionTo(cli.context, paymentId, 'succeeded');
    const { code, err } = await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining('now explain receipt')]);
    await check();
    expect(await unmatchedOf(theirs)).toMatchObject({ state: 'explained', payment_id: paymentId });
  });

  it('is denied for the merchant when the amount differs', async () => {
    const id = await unmatched(line(`ref-${await unpaid()}`, { amountMinor: '9900' }));
    const { code, err } = await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining('decide that payment first')]);
    expect(await cli.run('unmatched', 'assign', id, '--bank', ...reason)).toMatchObject({ code: 0 });
  });

  it('is allowed for the merchant when the payment was paid before: the money is additional', async () => {
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    await bring(line(`ref-${paid}`));
    const id = await unmatched(unknownLine({ ourReference: paid }));
    const before = await wallet();
    expect(await cli.run('unmatched', 'assign', id, '--merchant', merchantId, ...reason)).toMatchObject({
      code: 0,
    });
    expect(await wallet()).toBe(before + 10_000);
  });
});

describe('malipo unmatched assign --payment', () => {
  it('settles the payment as a late success, and a later line about it changes nothing', async () => {
    const theirs = unknownLine();
    const id = await unmatched(theirs);
    const paymentId = await unpaid();
    const before = await wallet();
    const claim = () => cli.run('unmatched', 'assign', id, '--payment', paymentId, ...reason);
    const answers = await Promise.all([claim(), claim()]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await cli.db('payments').where({ payment_id: paymentId }).first()).toMatchObject({
      ...{ state: 'succeeded', corrected: 1, provider_receipt: theirs.providerReference },
    });
    expect(await cli.db('outbox').where({ payment_id: paymentId }).pluck('to_state')).toEqual(
      expect.arrayContaining(['timed_out', 'succeeded']),
    );
    expect(cli.engine.signalled).toEqual([paymentId]);
    expect(await wallet()).toBe(before + 10_000);
    expect(await outcomeOf(theirs)).toBe('agreed');
    // The payment's own transaction arrives too: that is additional money.
    const own = line(`ref-${paymentId}`);
    await bring(own, theirs);
    await check();
    expect([await outcomeOf(theirs), await outcomeOf(own)]).toEqual(['seen_before', 'theirs_only']);
    expect(await unmatchedOf(own)).toMatchObject({ state: 'open' });
    expect(await wallet()).toBe(before + 10_000);
    await cli.run('unmatched', 'assign', (await unmatchedOf(own))?.receipt_id ?? '', '--bank', ...reason);
  });

  it('settles an open payout', async () => {
    await transferByHand(cli.db, {
      from: { class: 'bank', currency: 'KES' },
      to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
      ...{ amountMinor: 20_000n, reason: 'funded', whenShort: 'FLOAT_INSUFFICIENT' as const },
    });
    const paymentId = await payOut(cli.context, { merchantId, kind: 'payout' });
    const id = await unmatched(unknownLine({ kind: 'payout' }));
    expect(await cli.run('unmatched', 'assign', id, '--payment', paymentId, ...reason)).toMatchObject({
      code: 0,
    });
    const failed = await payOut(cli.context, { merchantId, kind: 'payout' }, 'failed');
    const other = await unmatched(unknownLine({ kind: 'payout' }));
    const refused = await cli.run('unmatched', 'assign', other, '--payment', failed, ...reason);
    expect(refused.err).toContain('assign the receipt to its merchant');
    await cli.run('unmatched', 'assign', other, '--bank', ...reason);
  });

  it.each([
    ['of another amount', { amountMinor: '9900' }, 'another amount or currency'],
    ['of another currency', { currency: 'USD' as const }, 'another amount or currency'],
    ['that was sent', { kind: 'payout' as const }, 'is a deposit'],
  ])('rejects money %s', async (_, more, sentence) => {
    const id = await unmatched(unknownLine(more));
    const { code, err } = await cli.run('unmatched', 'assign', id, '--payment', await unpaid(), ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    await cli.run('unmatched', 'assign', id, '--bank', ...reason);
  });

  it('rejects a payment that was paid before or uses another account, and leaves the receipt open', async () => {
    const id = await unmatched();
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const quiet = await deposit(cli.context, { merchantId, rail: 'quiet' }, 'initiating', 'pending');
    for (const [payment, sentence] of [
      [paid, 'was paid before'],
      [quiet, 'another account'],
    ] as const) {
      const { code, err } = await cli.run('unmatched', 'assign', id, '--payment', payment, ...reason);
      expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    }
    expect(await cli.db('unmatched_receipts').where({ receipt_id: id }).pluck('state')).toEqual(['open']);
    await cli.run('unmatched', 'assign', id, '--bank', ...reason);
  });

  it('requires one owner', async () => {
    const { code, err } = await cli.run('unmatched', 'assign', '1', ...reason);
    expect([code, err]).toEqual([2, expect.stringContaining('a payment, a merchant, our bank or a fee')]);
  });
});

describe('malipo unmatched returned', () => {
  it('books the return, and matches its line when it arrives', async () => {
    const back = unknownLine({ kind: 'payout' });
    const ids = [await unmatched(), await unmatched()];
    const returned = (id = '') =>
      cli.run('unmatched', 'returned', id, '--reference', back.providerReference, ...reason);
    expect(await returned(ids[0])).toMatchObject({ code: 0 });
    expect((await returned(ids[0])).err).toContain('is already returned');
    expect((await returned(ids[1])).err).toContain('is the return of another unmatched receipt');
    await bring(back);
    expect(await outcomeOf(back)).toBe('agreed');
    expect(await unmatchedOf(back)).toBeUndefined();
    await cli.run('unmatched', 'assign', ids[1] ?? '', '--bank', ...reason);
  });

  it('explains the line of the return that arrived before', async () => {
    const back = unknownLine({ kind: 'refund' });
    const [id, early] = [await unmatched(), await unmatched(back)];
    await cli.run('unmatched', 'returned', id, '--reference', back.providerReference, ...reason);
    await check();
    expect(await cli.db('unmatched_receipts').where({ receipt_id: early }).first()).toMatchObject({
      state: 'explained',
    });
  });
});

describe('a second operator', () => {
  it('must approve every assignment in live, and it is done once', async () => {
    const tokens: Record<string, string> = {};
    const as = (name: string, ...args: string[]) => {
      cli.env = { MALIPO_OPERATOR: name, MALIPO_OPERATOR_TOKEN: tokens[name] };
      return cli.run(...args, '--json');
    };
    for (const name of ['amina', 'brian']) {
      tokens[name] = String((await cli.json('operator', 'create', name))['token']);
      cli.env = { MALIPO_OPERATOR: 'amina', MALIPO_OPERATOR_TOKEN: tokens['amina'] };
    }
    cli.session = { ...cli.session, config: { ...testConfig(cli.url), environment: 'live' } };
    const [id, paymentId] = [await unmatched(), await unpaid()];
    const asked = await as('amina', 'unmatched', 'assign', id, '--payment', paymentId, ...reason);
    expect(asked.code).toBe(3);
    expect(await cli.db('payments').where({ payment_id: paymentId }).pluck('state')).toEqual(['timed_out']);
    const approve = () => as('brian', 'approve', String(asked.json['approval_id']));
    expect((await Promise.all([approve(), approve()])).map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await cli.db('unmatched_receipts').where({ receipt_id: id }).first()).toMatchObject({
      ...{ state: 'assigned', payment_id: paymentId, assigned_by: 'amina', approved_by: 'brian' },
    });
  });
});
