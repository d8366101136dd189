/** Money through the portal's process: kills during an approval, long lists, and duplicate payments. */
import { makeBatch } from '../../../src/portal/payouts/batches';
import type { PayoutFields } from '../../../src/rail-kit/rail-definition';
import { inTransaction } from '../../../src/store/transaction';
import type { MerchantRole } from '../../../src/users/roles';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { hostOf, startProxy, type Moment, type Proxy } from '../../faults/support/proxy';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { expectClean } from '../../support/expect-clean';
import { asOurs } from '../../support/own-rows';
import { ended, openCasesOf } from '../../support/payments/timeline';
import { call, callWithFile, payoutLines, sessionOf } from '../../support/portal/portal-support';
import {
  accepted,
  floatOf,
  fund,
  submissionsOf,
  notifiedOf,
  transferBody,
} from '../../support/rails/momo/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import { floatOf as walletpayFloatOf, canPayOut } from '../../support/rails/walletpay/payments';
import { startStack, type OwnStack, type TestMerchant } from '../../support/stack';
import { createPerson } from '../../support/users/users-support';
import { startPortalProcess, type PortalProcess } from './portal-process';

const patienceMs = 150_000;

describe('money through the portal', () => {
  let test: TestDatabase;
  let proxy: Proxy;
  let stack: OwnStack;
  let portal: PortalProcess;
  beforeAll(async () => {
    test = await createTestDatabase();
    proxy = await startProxy(hostOf(test.url));
    stack = await startStack({ timeScale: 20, database: test });
    portal = await startPortalProcess({ ...stack.env, DATABASE_URL: proxy.via(test.url) });
  });
  afterAll(async () => {
    await portal.stop();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
    await proxy.close();
  });

  let persons = 0;
  async function signedIn({ merchantId }: TestMerchant, role: MerchantRole) {
    persons += 1;
    const email = `person${String(persons)}@duka.example`;
    const person = await createPerson(stack.db, email, { merchantId, role });
    return { ...person, token: await sessionOf({ db: stack.db, test }, person) };
  }
  const post = (token: string, path: string, form: Record<string, string> = {}) =>
    call(portal, { method: 'POST', path, token, form });
  const get = (token: string, path: string) => call(portal, { method: 'GET', path, token });
  const payoutsOf = ({ merchantId }: TestMerchant) =>
    stack.db('payments').where({ merchant_id: merchantId, kind: 'payout' });

  /** A list that waits for another user's approval. */
  async function waiting(
    { merchantId }: TestMerchant,
    userId: string,
    rows: PayoutFields[],
  ): Promise<string> {
    const made = { merchantId, rail: 'momo', name: 'Salaries', rows, userId };
    const batchId = await inTransaction(stack.db, (trx) => makeBatch(trx, made));
    await stack
      .db('payout_batches')
      .where({ batch_id: batchId })
      .update({ state: 'waiting', asked_at: new Date() });
    await asOurs(stack.db, 'payout_batches', batchId);
    return batchId;
  }
  const aPayout = (reference: string): PayoutFields => ({
    ...{ phone_number: '+260763000789', country: 'ZMB', amount: '1.00', currency: 'ZMW' },
    account_reference: reference,
  });

  it('is sent once, although the portal is killed during the approval', async () => {
    const shop = await stack.createMerchant('Killed');
    await fund(stack, shop, 10_000n);
    const maker = await signedIn(shop, 'finance');
    const approver = await signedIn(shop, 'owner');
    const packets = [6, 14, 22, 30, 38, 46];
    for (const [n, packet] of packets.entries()) {
      const rows = [aPayout(`${String(n)}-A`), aPayout(`${String(n)}-B`)];
      const batchId = await waiting(shop, maker.userId, rows);
      const path = `/m/${shop.merchantId}/payouts/${batchId}`;
      const when: Moment = n % 2 === 0 ? 'before' : 'after';
      const killed = proxy.atPacket(packet, when, () => {
        portal.kill();
      });
      await post(approver.token, `${path}/approve`).catch(() => undefined);
      const what = `packet ${String(packet)} of the portal`;
      await waitFor(() => Promise.resolve(killed() || undefined), { what, timeoutMs: 30_000, everyMs: 10 });
      await portal.again();
      const answers = await Promise.all([1, 2].map(() => post(approver.token, `${path}/approve`)));
      expect(answers.map(({ status }) => status)).toEqual([303, 303]);
      expect(await payoutsOf(shop)).toHaveLength(2 * (n + 1));
      expect(await stack.db('payout_batches').where({ batch_id: batchId }).first()).toMatchObject({
        ...{ state: 'sent', decided_by: approver.userId, bulk_id: expect.any(String) },
      });
    }
    const reported = await stack.db('audit_log').where({ action: 'payouts.approve' });
    expect(reported).toHaveLength(packets.length);
    const provider = simulatorControl(stack.simulatorUrl, 'momo');
    for (const { payment_id: id } of await payoutsOf(shop)) {
      await ended(stack.db, id, ['succeeded'], patienceMs);
      expect(await submissionsOf(provider, id)).toHaveLength(1);
    }
    expect(await floatOf(stack, shop)).toEqual({ free: 8_800n, reserved: 0n });
  });

  it('is sent once and completely for repeated approvals, and not at all after a rejection', async () => {
    const shop = await stack.createMerchant('One cashier');
    await fund(stack, shop, 5_000n);
    const { token } = await signedIn(shop, 'owner');
    const at = `/m/${shop.merchantId}/payouts`;
    const form = { float: 'momo ZMW ZMB', recipient: '+260 763 000789', message: '' };
    const make = async (amount: string, reference: string) =>
      (await post(token, `${at}/one`, { ...form, amount, reference })).to;
    const path = await make('10.00', 'ONCE');
    const answers = await Promise.all([1, 2, 3].map(() => post(token, `${path}/approve`)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    const [only, ...more] = await payoutsOf(shop);
    expect([only?.account_reference, more]).toEqual(['ONCE', []]);
    const tooMuch = await make('60.00', 'TOO-MUCH');
    const { token: second } = await signedIn(shop, 'finance');
    const short = await post(token, `${tooMuch}/ask`);
    expect([short.status, short.text.includes('Your float balance is too low.')]).toEqual([422, true]);
    const later = await make('5.00', 'LATER');
    expect((await post(token, `${later}/approve`)).text).toContain(
      'You cannot approve payouts that you created.',
    );
    await post(token, `${later}/ask`);
    await post(second, `${later}/reject`, { reason: 'not him <b>' });
    const late = await post(second, `${later}/approve`);
    expect(late.to).toBe(later);
    const page = await get(token, later);
    expect([page.text.includes('not him &lt;b&gt;'), page.text.includes('<b>')]).toEqual([true, false]);
    expect(await payoutsOf(shop)).toHaveLength(1);
    const wrong = { ...form, float: 'momo KES KEN', amount: '1', reference: 'x' };
    const refused = await post(token, `${at}/one`, wrong);
    expect([refused.status, refused.text.includes('not a full phone number')]).toEqual([422, true]);
    await ended(stack.db, only?.payment_id ?? '', ['succeeded']);
  });

  it('expires after three days without approval', async () => {
    const shop = await stack.createMerchant('Forgotten');
    await fund(stack, shop, 10_000n);
    const maker = await signedIn(shop, 'finance');
    const approver = await signedIn(shop, 'owner');
    const batchId = await waiting(shop, maker.userId, [aPayout('LATE')]);
    const path = `/m/${shop.merchantId}/payouts/${batchId}`;
    const askedHoursAgo = async (hours: number) => {
      await stack
        .db('payout_batches')
        .where({ batch_id: batchId })
        .update({ asked_at: new Date(Date.now() - hours * 3_600_000) });
      await asOurs(stack.db, 'payout_batches', batchId);
    };
    const changed = JSON.stringify([{ ...aPayout('LATE'), amount: '99.00' }]);
    const before = await stack.db('payout_batches').where({ batch_id: batchId }).first();
    await stack.db('payout_batches').where({ batch_id: batchId }).update({ payouts: changed });
    const altered = await post(approver.token, `${path}/approve`);
    expect([altered.status, altered.text.includes('were changed after they were created')]).toEqual([
      ...[422, true],
    ]);
    expect(await payoutsOf(shop)).toEqual([]);
    await stack
      .db('payout_batches')
      .where({ batch_id: batchId })
      .update({ payouts: before?.payouts ?? null });
    await askedHoursAgo(73);
    const late = await post(approver.token, `${path}/approve`);
    expect([late.status, late.text.includes('The time for approval is over.')]).toEqual([422, true]);
    expect((await get(maker.token, `/m/${shop.merchantId}/payouts`)).text).toContain('expired');
    expect([await payoutsOf(shop), await floatOf(stack, shop)]).toEqual([
      [],
      { free: 10_000n, reserved: 0n },
    ]);
    await askedHoursAgo(71);
    expect((await post(approver.token, `${path}/approve`)).status).toBe(303);
    expect(await payoutsOf(shop)).toHaveLength(1);
  });

  const payrollOf = (count: number) =>
    Array.from({ length: count }, (_, n) => {
      const number = String(n).padStart(4, '0');
      return `26076${number}789,1.50,ZMW,JAN-${number}`;
    });

  /** A list from a file, with approval requested from another user. */
  async function asked({ merchantId }: TestMerchant, token: string, lines: string[]) {
    const made = await sendPayroll({ merchantId }, token, lines);
    expect([made.status, made.to]).toEqual([303, expect.stringContaining(`/m/${merchantId}/payouts`)]);
    expect((await post(token, `${made.to}/ask`)).to).toBe(`${made.to}?done=asked`);
    return made.to;
  }
  const sendPayroll = ({ merchantId }: Pick<TestMerchant, 'merchantId'>, token: string, lines: string[]) =>
    callWithFile(portal, {
      path: `/m/${merchantId}/payouts/file`,
      token,
      form: { rail: 'momo', name: 'January' },
      file: { name: 'january.csv', content: payoutLines(lines) },
    });

  it('is sent once for each payout of a long list, checked and approved by another user', async () => {
    const shop = await stack.createMerchant('Payroll');
    await fund(stack, shop, 50_000n);
    const maker = await signedIn(shop, 'finance');
    const approver = await signedIn(shop, 'owner');
    const path = await asked(shop, maker.token, payrollOf(250));
    expect(await stack.db('mails').where({ recipient: approver.email })).toMatchObject([
      { recipient: approver.email, body: expect.stringContaining(`${portal.url}${path}`) },
    ]);
    expect((await post(approver.token, `${path}/approve`)).to).toBe(`${path}?done=sent`);
    const stillOpen = async () => {
      const [row] = await payoutsOf(shop).where({ is_final: 0 }).count<{ n: number | string }[]>({ n: '*' });
      return Number(row?.n ?? 0);
    };
    await waitFor(async () => ((await stillOpen()) === 0 ? true : undefined), {
      what: 'all payouts to end',
      timeoutMs: patienceMs,
      everyMs: 500,
    });
    const ends = await payoutsOf(shop).select('state', 'account_reference');
    expect([ends.length, new Set(ends.map(({ account_reference: name }) => name)).size]).toEqual([250, 250]);
    expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['succeeded']));
    expect(await floatOf(stack, shop)).toEqual({ free: 12_500n, reserved: 0n });
  });

  it('is sent to e-mail addresses with the online wallet', async () => {
    const shop = await stack.createMerchant('Freelancers');
    await canPayOut(stack, shop, 10_000n);
    const alone = await signedIn(shop, 'owner');
    const base = `/m/${shop.merchantId}/payouts`;
    const list = (...lines: string[]) => ({
      name: 'list.csv',
      content: ['recipient_email,amount,currency,order_id,note', ...lines].join('\n'),
    });
    const send = (file: { name: string; content: string }) =>
      callWithFile(portal, {
        path: `${base}/file`,
        token: alone.token,
        form: { rail: 'walletpay', name: 'Freelancers' },
        file,
      });
    const wrong = await send(list('ok@example.com,40.00,USD,JAN-1,Thanks', 'nobody,9.505,USD,JAN-1,'));
    expect([wrong.status, wrong.text.includes('Nothing was saved.')]).toEqual([422, true]);
    const { to } = await send(
      list('ok@example.com,40.00,USD,JAN-1,Thanks', 'failed@example.com,9.50,USD,JAN-2,'),
    );
    const page = await get(alone.token, to);
    expect([page.text.includes('USD 49.50'), page.text.includes('ok@example.com')]).toEqual([true, true]);
    expect((await post(alone.token, `${to}/approve`)).to).toBe(`${to}?done=sent`);
    const sent = await payoutsOf(shop).orderBy('order_id').select('payment_id');
    const ends = await Promise.all(
      sent.map(({ payment_id: id }) => ended(stack.db, id, undefined, patienceMs)),
    );
    expect(ends.map(({ order_id: id, state }) => [id, state])).toEqual([
      ['JAN-1', 'succeeded'],
      ['JAN-2', 'failed'],
    ]);
    expect(await walletpayFloatOf(stack, shop)).toEqual({ free: 6_000n, reserved: 0n });
  });

  it('allows ten lists per minute, valid or not', async () => {
    const shop = await stack.createMerchant('Lists');
    const { token } = await signedIn(shop, 'owner');
    const path = `/m/${shop.merchantId}/payouts/file`;
    const file = { name: 'x.csv', content: '\n'.repeat(5_000) };
    const send = () => callWithFile(portal, { path, token, form: { rail: 'momo', name: 'Lists' }, file });
    for (let n = 0; n < 10; n += 1)
      expect((await send()).text).toContain('more than 3,000 lines, empty ones counted');
    const slow = await send();
    expect([slow.status, slow.text.includes('Too many attempts')]).toEqual([422, true]);
  });

  it('refunds one of two duplicate payments, and never both at the same moment', async () => {
    const shop = await stack.createMerchant('Twice', { duplicateAlert: 'on' });
    const finance = await signedIn(shop, 'finance');
    const paid = async () => {
      const id = await accepted(stack, shop, 'deposit', transferBody({ account_reference: 'ORDER-9' }));
      await notifiedOf(shop, id, 'Success');
      return id;
    };
    const [first, second] = [await paid(), await paid()];
    expect(await openCasesOf(stack.db, second)).toEqual(['duplicate_payment']);
    const base = `/m/${shop.merchantId}`;
    const form = { amount: '25.50', left: '2550' };
    const give = (id: string) => post(finance.token, `${base}/payments/${id}/refund`, form);
    const answers = await Promise.all([give(first), give(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
    expect(answers.find(({ status }) => status === 422)?.text).toContain(
      'The duplicate of this payment is being refunded.',
    );
    const refunds = () => stack.db('payments').where({ merchant_id: shop.merchantId, kind: 'refund' });
    const [only, ...more] = await refunds();
    expect(more).toEqual([]);
    await ended(stack.db, only?.payment_id ?? '', ['succeeded'], patienceMs);
    await waitFor(async () => ((await openCasesOf(stack.db, second)).length === 0 ? true : undefined), {
      what: 'the case to close itself',
      timeoutMs: patienceMs,
    });
    expect((await get(finance.token, `${base}/duplicates`)).text).toContain('No duplicate payments');
    // From then on, the other payment can be refunded like any other.
    const other = only?.parent_id === first ? second : first;
    const again = await give(other);
    expect(again.status).toBe(303);
    await waitFor(async () => ((await refunds().where({ is_final: 0 })).length === 0 ? true : undefined), {
      what: 'the second refund to end',
      timeoutMs: patienceMs,
    });
    expect((await refunds()).map(({ parent_id: id }) => id).sort()).toEqual([first, second].sort());
  });

  it('allows a thousand payouts in one list, and not one more', async () => {
    // No worker processes them; this test only checks that they are created.
    await stack.kill('worker');
    const shop = await stack.createMerchant('Large payroll');
    await fund(stack, shop, 200_000n);
    const maker = await signedIn(shop, 'finance');
    const approver = await signedIn(shop, 'owner');
    const refused = await sendPayroll(shop, maker.token, payrollOf(1_001));
    expect([refused.status, refused.text.includes('more than 1,000 lines')]).toEqual([422, true]);
    const path = await asked(shop, maker.token, payrollOf(1_000));
    expect((await post(approver.token, `${path}/approve`)).to).toBe(`${path}?done=sent`);
    const names = await payoutsOf(shop).pluck('account_reference');
    expect([names.length, new Set(names).size]).toEqual([1_000, 1_000]);
    expect(await floatOf(stack, shop)).toEqual({ free: 50_000n, reserved: 150_000n });
    const last = await get(approver.token, `${path}?from=900`);
    expect([last.status, last.text.includes('JAN-0999'), last.text.includes('JAN-0899')]).toEqual([
      200,
      true,
      false,
    ]);
  });
});
