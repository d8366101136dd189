import { randomUUID } from 'node:crypto';
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { createMerchant } from '../../../src/merchants/merchants';
import { railsOf } from '../../../src/rail-kit/context';
import { reconcile } from '../../../src/reconciliation/reconcile';
import { reportOn } from '../../../src/reconciliation/report';
import { file, format, line, period, type Written } from '../../support/reconciliation/statement-support';
import { expectClean } from '../../support/expect-clean';
import { box, deposit, moveAlong, payOut } from '../../support/verify/books-support';
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
  cli.engine.woken.length = 0;
});
afterEach(async () => {
  await expectClean({ db: cli.db });
});
afterAll(() => cli.drop());

const bring = (...lines: Written[]) =>
  reconcile(cli.db, format, period(), file(lines, `${randomUUID()}.json`));
const look = () => reconcile(cli.db, format, period());
const stranger = (more: Partial<Written> = {}) => line(randomUUID(), more);
const orphanOf = async ({ providerReference }: Written) =>
  cli.db('orphans').where({ provider_reference: providerReference }).first();
/** @returns its number. */
async function orphan(of = stranger()): Promise<string> {
  await bring(of);
  return (await orphanOf(of))?.orphan_id ?? '';
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

describe('malipo orphan claim --fee', () => {
  it('books what went out as the fee of the provider, and refuses what came in', async () => {
    const fees = async () => {
      const [row] = await cli
        .db('ledger_postings as p')
        .join('ledger_accounts as a', 'a.account_id', 'p.account_id')
        .where('a.code', 'provider_fees:loudpay:KES')
        .sum<{ sum: string | null }[]>({ sum: 'p.amount' });
      return Number(row?.sum ?? 0);
    };
    const charge = stranger({ kind: 'fee', amountMinor: '900000' });
    const id = await orphan(charge);
    const before = await fees();
    expect((await cli.run('orphan', 'claim', id, '--fee', ...reason)).code).toBe(0);
    await look();
    expect(await outcomeOf(charge)).toBe('theirs_only');
    expect([await fees(), (await orphanOf(charge))?.state]).toEqual([before - 900_000, 'claimed']);
    const refused = await cli.run('orphan', 'claim', await orphan(), '--fee', ...reason);
    expect(refused.err).toContain('came in: it is no fee');
  });
});

describe('malipo orphan claim --payment', () => {
  it.each([
    ['that nobody has', randomUUID(), 'There is no payment'],
    ['that is none', 'señor', 'is no id'],
  ])('refuses in a sentence an id %s', async (_, of, sentence) => {
    const id = await orphan();
    for (const which of ['--payment', '--merchant']) {
      const refused = await cli.run('orphan', 'claim', id, which, of, ...reason);
      expect(refused.code).toBeGreaterThan(0);
      expect(refused.err).not.toMatch(/collation|does not exist|fault/i);
      if (which === '--payment') expect(refused.err).toContain(sentence);
    }
    expect(await cli.db('orphans').where({ orphan_id: id }).pluck('state')).toEqual(['open']);
  });
});

describe('malipo orphan list and show', () => {
  it('tell what is open, and what it may belong to', async () => {
    const asked = { merchantId, with: { phone_number: '254712345678' } };
    const owner = await deposit(cli.context, asked, 'initiating', 'pending', 'timed_out');
    const theirs = stranger({ phone: '+254 712 345678' });
    const id = await orphan(theirs);
    expect((await cli.run('orphan', 'list', '--provider', 'loudpay')).out).toContain(
      theirs.providerReference,
    );
    expect((await cli.run('orphan', 'list', '--provider', 'other')).out).toBe('No orphan is open.\n');
    const { out } = await cli.run('orphan', 'show', id);
    expect(out).toMatch(/amount +100\.00 KES/);
    expect(out).toMatch(new RegExp(`may belong to\\n +${owner} of .*timed_out.*phone, amount`));
    expect((await cli.json('orphan', 'show', id))['likely_owners']).toHaveLength(1);
    expect((await cli.run('orphan', 'show', '999999')).code).toBe(1);
  });
});

describe('malipo orphan claim --merchant', () => {
  it('books it on the wallet once, as a movement of its statement, with its line of the audit log', async () => {
    const theirs = stranger();
    const id = await orphan(theirs);
    const before = await wallet();
    const claim = () => cli.run('orphan', 'claim', id, '--merchant', merchantId, ...reason);
    const answers = await Promise.all([claim(), claim(), claim()]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    expect((await claim()).err).toContain('was claimed before');
    expect(await wallet()).toBe(before + 10_000);
    const [entry] = await cli
      .db('ledger_entries')
      .where({ source_type: 'orphan', source_id: id, leg: 'claimed:1' });
    expect(entry?.reason).toBe('the customer showed the slip');
    const audit = await cli.db('audit_log').where({ action: 'orphan.claim', subject_id: id });
    expect(audit).toHaveLength(1);
    // A day of the deployment's zone.
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Nairobi' }).format(new Date());
    const statement = ['statement', merchantId, '--currency', 'KES', '--from', today, '--to', today];
    expect((await cli.run(...statement)).out).toContain('claimed');
    // Looked at again, it is neither another orphan nor unexplained.
    await bring(theirs, stranger({ state: 'failed' }));
    expect(await orphanOf(theirs)).toMatchObject({ state: 'claimed', merchant_id: merchantId });
    expect(await wallet()).toBe(before + 10_000);
  });

  it('takes what went out without us from the wallet, and never more than it has', async () => {
    const before = await wallet();
    const id = await orphan(stranger({ kind: 'payout', amountMinor: '1000' }));
    expect(await cli.run('orphan', 'claim', id, '--merchant', merchantId, ...reason)).toMatchObject({
      code: 0,
    });
    expect(await wallet()).toBe(before - 1_000);
    const more = await orphan(stranger({ kind: 'payout', amountMinor: '99000000' }));
    expect((await cli.run('orphan', 'claim', more, '--merchant', merchantId, ...reason)).code).toBe(1);
    expect(await wallet()).toBe(before - 1_000);
    expect(await cli.run('orphan', 'claim', more, '--bank', ...reason)).toMatchObject({ code: 0 });
  });
});

describe('malipo orphan claim of what its line says is a payment that may still become paid', () => {
  it("is refused for anybody else, and is the payment's", async () => {
    const paymentId = await unpaid();
    const id = await orphan(line(`ref-${paymentId}`));
    const before = await wallet();
    const claim = (...whose: string[]) => cli.run('orphan', 'claim', id, ...whose, ...reason);
    for (const whose of [['--merchant', merchantId], ['--bank'], ['--payment', await unpaid()]]) {
      const { code, err } = await claim(...whose);
      expect([code, err]).toEqual([1, expect.stringContaining('claim it for that payment')]);
    }
    expect(await wallet()).toBe(before);
    expect(await claim('--payment', paymentId)).toMatchObject({ code: 0 });
    expect(await wallet()).toBe(before + 10_000);
  });

  it('is refused once our books have it, though nobody has looked again', async () => {
    const paymentId = await unpaid();
    const theirs = line(`ref-${paymentId}`);
    const id = await orphan(theirs);
    await moveAlong(cli.context, paymentId, 'succeeded');
    const { code, err } = await cli.run('orphan', 'claim', id, '--merchant', merchantId, ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining('by themselves now')]);
    await look();
    expect(await orphanOf(theirs)).toMatchObject({ state: 'explained', payment_id: paymentId });
  });

  it("is no merchant's where its amount is another", async () => {
    const id = await orphan(line(`ref-${await unpaid()}`, { amountMinor: '9900' }));
    const { code, err } = await cli.run('orphan', 'claim', id, '--merchant', merchantId, ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining('decide that payment first')]);
    expect(await cli.run('orphan', 'claim', id, '--bank', ...reason)).toMatchObject({ code: 0 });
  });

  it("is somebody's where it was paid before: it came beside that", async () => {
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    await bring(line(`ref-${paid}`));
    const id = await orphan(stranger({ ourReference: paid }));
    const before = await wallet();
    expect(await cli.run('orphan', 'claim', id, '--merchant', merchantId, ...reason)).toMatchObject({
      code: 0,
    });
    expect(await wallet()).toBe(before + 10_000);
  });
});

describe('malipo orphan claim --payment', () => {
  it('settles it as a late success, and what its provider says of it later changes nothing', async () => {
    const theirs = stranger();
    const id = await orphan(theirs);
    const paymentId = await unpaid();
    const before = await wallet();
    const claim = () => cli.run('orphan', 'claim', id, '--payment', paymentId, ...reason);
    const answers = await Promise.all([claim(), claim()]);
    expect(answers.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await cli.db('payments').where({ payment_id: paymentId }).first()).toMatchObject({
      ...{ state: 'succeeded', corrected: 1, provider_receipt: theirs.providerReference },
    });
    expect(await cli.db('outbox').where({ payment_id: paymentId }).pluck('to_state')).toEqual(
      expect.arrayContaining(['timed_out', 'succeeded']),
    );
    expect(cli.engine.woken).toEqual([paymentId]);
    expect(await wallet()).toBe(before + 10_000);
    expect(await outcomeOf(theirs)).toBe('agreed');
    // The payment's own transaction comes in, too: that is money beside it.
    const own = line(`ref-${paymentId}`);
    await bring(own, theirs);
    await look();
    expect([await outcomeOf(theirs), await outcomeOf(own)]).toEqual(['seen_before', 'theirs_only']);
    expect(await orphanOf(own)).toMatchObject({ state: 'open' });
    expect(await wallet()).toBe(before + 10_000);
    await cli.run('orphan', 'claim', (await orphanOf(own))?.orphan_id ?? '', '--bank', ...reason);
  });

  it('settles a payout that is open', async () => {
    await transferByHand(cli.db, {
      from: { class: 'bank', currency: 'KES' },
      to: { class: 'float', merchantId, rail: 'loud', country: 'KEN', currency: 'KES' },
      ...{ amountMinor: 20_000n, reason: 'funded', whenShort: 'FLOAT_INSUFFICIENT' as const },
    });
    const paymentId = await payOut(cli.context, { merchantId, kind: 'payout' });
    const id = await orphan(stranger({ kind: 'payout' }));
    expect(await cli.run('orphan', 'claim', id, '--payment', paymentId, ...reason)).toMatchObject({
      code: 0,
    });
    const failed = await payOut(cli.context, { merchantId, kind: 'payout' }, 'failed');
    const other = await orphan(stranger({ kind: 'payout' }));
    const refused = await cli.run('orphan', 'claim', other, '--payment', failed, ...reason);
    expect(refused.err).toContain('claim it for its merchant');
    await cli.run('orphan', 'claim', other, '--bank', ...reason);
  });

  it.each([
    ['of another amount', { amountMinor: '9900' }, 'another amount or currency'],
    ['of another currency', { currency: 'USD' as const }, 'another amount or currency'],
    ['that went out', { kind: 'payout' as const }, 'is a deposit'],
  ])('refuses money %s', async (_, more, sentence) => {
    const id = await orphan(stranger(more));
    const { code, err } = await cli.run('orphan', 'claim', id, '--payment', await unpaid(), ...reason);
    expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    await cli.run('orphan', 'claim', id, '--bank', ...reason);
  });

  it('refuses what was paid before, or goes through another account, and leaves the orphan open', async () => {
    const id = await orphan();
    const paid = await deposit(cli.context, { merchantId }, 'initiating', 'pending', 'succeeded');
    const quiet = await deposit(cli.context, { merchantId, rail: 'quiet' }, 'initiating', 'pending');
    for (const [payment, sentence] of [
      [paid, 'was paid before'],
      [quiet, 'another account'],
    ] as const) {
      const { code, err } = await cli.run('orphan', 'claim', id, '--payment', payment, ...reason);
      expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
    }
    expect(await cli.db('orphans').where({ orphan_id: id }).pluck('state')).toEqual(['open']);
    await cli.run('orphan', 'claim', id, '--bank', ...reason);
  });

  it('asks for one owner', async () => {
    const { code, err } = await cli.run('orphan', 'claim', '1', ...reason);
    expect([code, err]).toEqual([2, expect.stringContaining('a payment, a merchant, our bank, or a fee')]);
  });
});

describe('malipo orphan returned', () => {
  it('books it back, and knows the line of that when it comes', async () => {
    const back = stranger({ kind: 'payout' });
    const ids = [await orphan(), await orphan()];
    const returned = (id = '') =>
      cli.run('orphan', 'returned', id, '--reference', back.providerReference, ...reason);
    expect(await returned(ids[0])).toMatchObject({ code: 0 });
    expect((await returned(ids[0])).err).toContain('was returned before');
    expect((await returned(ids[1])).err).toContain('another orphan went back');
    await bring(back);
    expect(await outcomeOf(back)).toBe('agreed');
    expect(await orphanOf(back)).toBeUndefined();
    await cli.run('orphan', 'claim', ids[1] ?? '', '--bank', ...reason);
  });

  it('explains the line of it that came before it was said', async () => {
    const back = stranger({ kind: 'refund' });
    const [id, early] = [await orphan(), await orphan(back)];
    await cli.run('orphan', 'returned', id, '--reference', back.providerReference, ...reason);
    await look();
    expect(await cli.db('orphans').where({ orphan_id: early }).first()).toMatchObject({ state: 'explained' });
  });
});

describe('four eyes', () => {
  it('see whatever is decided about an orphan, and it is done once', async () => {
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
    const [id, paymentId] = [await orphan(), await unpaid()];
    const asked = await as('amina', 'orphan', 'claim', id, '--payment', paymentId, ...reason);
    expect(asked.code).toBe(3);
    expect(await cli.db('payments').where({ payment_id: paymentId }).pluck('state')).toEqual(['timed_out']);
    const approve = () => as('brian', 'approve', String(asked.json['approval_id']));
    expect((await Promise.all([approve(), approve()])).map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await cli.db('orphans').where({ orphan_id: id }).first()).toMatchObject({
      ...{ state: 'claimed', payment_id: paymentId, claimed_by: 'amina', approved_by: 'brian' },
    });
  });
});
