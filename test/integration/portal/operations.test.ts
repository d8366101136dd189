/** The platform pages: each runs its action, requests approval by the same rules, and writes the same audit lines. */
import { setApprovalRule } from '../../../src/users/approvals';
import { DateTime } from 'luxon';
import { v7 as uuid } from 'uuid';
import { openCase } from '../../../src/controls/cases';
import type { Role } from '../../../src/users/operators';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { deposit, insertPayment, testContext } from '../../support/verify/books-support';
import { format, line } from '../../support/reconciliation/statement-support';
import {
  anUnmatchedReceipt,
  aWebhook,
  call,
  callWithFile,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
const tokens = {} as Record<Role, string>;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  for (const role of ['operator', 'approver', 'auditor'] as const)
    tokens[role] = await sessionOf(portal, await createPlatformPerson(portal, role));
});
afterAll(() => portal.stop());

const get = (role: Role, path: string) => call(portal, { method: 'GET', path, token: tokens[role] });
const post = (role: Role, path: string, form: Record<string, string> = {}) =>
  call(portal, { method: 'POST', path, token: tokens[role], form });
const newest = async () => portal.db('audit_log').orderBy('seq', 'desc').first();

describe('pausing payouts', () => {
  it('pauses the chosen scope with a reason, and resumes exactly that scope', async () => {
    const stopped = await post('operator', '/ops/pauses', {
      rail: 'loud',
      reason: '--rail=stk <b>',
      country: 'ken',
    });
    expect([stopped.status, stopped.text.includes('<b>')]).toEqual([200, false]);
    const [stop] = await portal.db('payout_pauses').where({ ended_at: null });
    expect(stop).toMatchObject({
      rail: 'loud',
      country: 'KEN',
      reason: '--rail=stk <b>',
      begun_by: 'the-operator',
    });
    expect(await newest()).toMatchObject({ acted_by: 'the-operator', action: 'payouts.pause' });
    expect((await get('auditor', '/ops')).text).toContain('Paused: Payouts: loud · KEN.');
    const ended = await post('operator', '/ops/pauses/end', { stop: stop?.pause_id ?? '' });
    expect(ended.status).toBe(200);
    expect(await portal.db('payout_pauses').where({ ended_at: null })).toEqual([]);
    expect((await post('operator', '/ops/pauses/end', { stop: stop?.pause_id ?? '' })).status).toBe(422);
  });

  it('asks for confirmation before it pauses everything, and keeps the input', async () => {
    const form = { reason: 'all of it <b>', refunds: '1' };
    const asked = await post('operator', '/ops/pauses', form);
    expect([asked.status, asked.text.includes('Pause all payouts and refunds of all merchants?')]).toEqual([
      200,
      true,
    ]);
    expect(asked.text).toContain('all of it &lt;b&gt;');
    expect(await portal.db('payout_pauses').where({ ended_at: null })).toEqual([]);
    const fields = [...asked.text.matchAll(/name="(reason|refunds|sure)" value="([^"]*)"/g)];
    expect(fields.map(([, name]) => name)).toEqual(['reason', 'refunds', 'sure']);
    expect((await post('operator', '/ops/pauses', { ...form, sure: '1' })).status).toBe(200);
    const [stop] = await portal.db('payout_pauses').where({ ended_at: null });
    expect(stop).toMatchObject({ rail: null, merchant_id: null, country: null, with_refunds: 1 });
    await post('operator', '/ops/pauses/end', { stop: stop?.pause_id ?? '' });
  });

  it.each([{}, { reason: '  ' }])('needs a reason: %j', async (form) => {
    expect((await post('operator', '/ops/pauses', form)).status).toBe(422);
  });
});

describe('a merchant', () => {
  it('is added once with its secrets shown once, then suspended and reactivated', async () => {
    const form = { name: '--status=inactive', once: uuid() };
    const added = await post('operator', '/ops/merchants', form);
    expect([added.status, /sk_test_\w+/.test(added.text)]).toEqual([200, true]);
    expect((await post('operator', '/ops/merchants', form)).status).toBe(409);
    const [row, ...more] = await portal.db('merchants').where({ name: '--status=inactive' });
    expect([row?.status, more]).toEqual(['active', []]);
    const path = `/ops/merchants/${row?.merchant_id ?? ''}/status`;
    const statusOf = async () =>
      (await portal.db('merchants').where({ name: form.name }).first('status'))?.status;
    await post('operator', path, { status: 'suspended' });
    expect(await statusOf()).toBe('suspended');
    await post('operator', path, { status: 'active' });
    expect(await statusOf()).toBe('active');
    for (const id of ['x', 'é', '--help'].map(encodeURIComponent))
      expect((await post('operator', `/ops/merchants/${id}/status`, { status: 'active' })).status).toBe(404);
    const lines = await portal.db('audit_log').where({ action: 'merchant.create' });
    expect(JSON.stringify(lines)).not.toContain('sk_test_');
  });
});

describe('the floats, limits and fees of a merchant', () => {
  const at = (below = '') => `/ops/merchants/${merchantId}${below}`;
  const reason = 'agreed --as=somebody';
  const balance = async () =>
    (await portal.db('ledger_accounts').where({ merchant_id: merchantId, class: 'float' }).first('balance'))
      ?.balance;

  it('book a float transfer once for a repeated form', async () => {
    const form = {
      verb: 'add',
      rail: 'momo',
      country: 'ken',
      currency: 'kes',
      amount: '1000.00',
      reason,
      once: uuid(),
    };
    // A preview does not use up the form, also for a float that was never funded.
    expect((await post('operator', at('/float'), { ...form, preview: '1' })).status).toBe(200);
    expect((await post('operator', at('/float'), form)).status).toBe(200);
    expect((await post('operator', at('/float'), form)).status).toBe(409);
    expect(await balance()).toBe('100000');
    expect(await newest()).toMatchObject({ acted_by: 'the-operator', action: 'float.add' });
    expect((await get('auditor', at())).text).toContain('KES 1,000.00');
    const back = { ...form, verb: 'withdraw', once: uuid() };
    expect((await post('operator', at('/float'), back)).status).toBe(200);
    // The float is empty again, but the form is still used up.
    expect((await post('operator', at('/float'), form)).status).toBe(409);
    expect(await balance()).toBe('0');
  });

  it.each([
    ['limit', { kind: 'per_day', currency: 'KES', amount: '500.00' }, 'Per 24 hours', 'KES 500.00'],
    [
      'fee',
      { operation: 'payout', currency: 'KES', fixed: '5.00', perMille: '12.5', max: '300' },
      'payout',
      'KES 5.00 + 12.5 ‰, At most 300.00',
    ],
  ])('have a %s that can be set, shown and ended', async (what, form, name, bound) => {
    expect((await post('operator', at(`/${what}`), form)).status).toBe(422);
    expect((await post('operator', at(`/${what}`), { ...form, reason, currency: '--help' })).status).toBe(
      409,
    );
    expect((await post('operator', at(`/${what}`), { ...form, reason })).status).toBe(200);
    const page = (await get('operator', at())).text;
    expect([page.includes(name), page.includes(bound)]).toEqual([true, true]);
    const id = new RegExp(`/${what}/remove"[^]*?name="id" value="([^"]+)"`).exec(page)?.[1] ?? '';
    expect((await get('auditor', at())).text).not.toContain('/remove"');
    expect((await post('operator', at(`/${what}/remove`), { id: '--help', reason })).status).toBe(422);
    expect((await post('operator', at(`/${what}/remove`), { id, reason })).status).toBe(200);
    expect((await get('operator', at())).text).not.toContain(bound);
  });

  it('have default limits until one of the same kind is set', async () => {
    const reported = async () => (await get('auditor', at())).text.includes('KES 130,000.00');
    expect([(await get('auditor', at())).text.includes('Default limits'), await reported()]).toEqual([
      true,
      true,
    ]);
    const form = { kind: 'per_recipient_day', currency: 'KES', amount: '777.00', reason };
    expect((await post('operator', at('/limit'), form)).status).toBe(200);
    expect(await reported()).toBe(false);
  });
});

it('a case is decided once by an operator, with a note', async () => {
  const engine = testContext(portal.test.db);
  const paymentId = await deposit(engine, { merchantId }, 'initiating', 'pending');
  await openCase(portal.test.db, paymentId, { reason: 'amount_differs', detail: 'seen <i>' });
  const row = await portal.db('cases').where({ payment_id: paymentId }).first();
  const path = `/ops/cases/${row?.case_id ?? ''}`;
  const page = await get('auditor', path);
  expect([page.status, page.text.includes('<i>'), page.text.includes('An operator decides this.')]).toEqual([
    200,
    false,
    true,
  ]);
  expect((await get('operator', '/ops/cases?by=money&currency=KES')).text).toContain(`href="${path}"`);
  expect((await post('operator', `${path}/resolve`, { outcome: 'failed' })).status).toBe(422);
  for (const [form, reported] of [
    [{ outcome: 'paid' }, 'Write the amount paid'],
    [{ outcome: 'failed', amount: '90.00' }, 'only with “Mark paid”'],
  ] as const) {
    const missing = await post('operator', `${path}/resolve`, { ...form, note: 'statement' });
    expect([missing.status, missing.text.includes(reported)]).toEqual([422, true]);
  }
  // The page shows why the action is denied, and nothing is done.
  const wrong = { outcome: 'paid', amount: 'a lot', note: 'statement' };
  expect((await post('operator', `${path}/resolve`, wrong)).status).toBe(409);
  const decided = await post('operator', `${path}/resolve`, { outcome: 'failed', note: '--as=somebody' });
  expect(decided.status).toBe(200);
  expect(await portal.db('cases').where({ payment_id: paymentId }).first()).toMatchObject({
    closed_by: 'the-operator',
    resolution: 'failed: --as=somebody',
  });
  expect(portal.signalled).toContain(paymentId);
  expect((await post('operator', `${path}/resolve`, { outcome: 'failed', note: 'again' })).status).toBe(409);
  for (const id of ['x', '0', '9'.repeat(20)])
    expect((await get('operator', `/ops/cases/${id}`)).status).toBe(404);
});

it('finds a payment of any merchant, and shows operators its workflow', async () => {
  const { payment_id: id } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
  const found = await get('approver', `/ops/payments?q=${id}`);
  expect(found.to).toBe(`/m/${merchantId}/payments/${id}`);
  expect((await get('operator', found.to)).text).toContain(
    `http://127.0.0.1:8233/namespaces/malipo/workflows/${encodeURIComponent(`test-payment/${id}`)}`,
  );
  expect((await get('operator', '/ops/payments')).text).toContain(id);
});

it('shows the newest payments of all merchants and states', async () => {
  const decided = await insertPayment(portal.db, { merchantId, rail: 'stk' }).then(
    ({ payment_id: id }) => id,
  );
  await portal.db('payments').where({ payment_id: decided }).update({ state: 'failed', is_final: 1 });
  expect((await get('operator', '/ops/payments')).text).not.toContain(decided);
  const { text } = await get('operator', '/ops/payments?newest=1');
  expect(text.indexOf(decided)).toBeGreaterThan(0);
  expect([...text.matchAll(/payments\/([\da-f-]{36})"/g)][0]?.[1]).toBe(decided);
});

it('shows who did what', async () => {
  const page = await get('auditor', '/ops/audit?by=the-operator&action=payouts.pause');
  expect([page.status, page.text.includes('the-operator: payouts.pause')]).toEqual([200, true]);
  expect((await get('auditor', `/ops/audit?by=${encodeURIComponent('é<')}`)).text).toContain(
    'No matching lines.',
  );
});

it('links from the failed webhooks to each webhook', async () => {
  const { payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
  const webhookId = await aWebhook(portal.db, { merchantId, paymentId });
  await portal.db('outbox').where({ webhook_id: webhookId }).update({ state: 'dead' });
  const link = '/ops/webhooks?trouble=dead';
  expect((await get('auditor', '/ops')).text).toContain(`href="${link}"`);
  expect((await get('auditor', link)).text).toContain(`href="/m/${merchantId}/webhooks/${webhookId}"`);
  expect((await get('auditor', '/ops/webhooks?trouble=late')).text).not.toContain(webhookId);
});

describe('an uploaded statement file', () => {
  // Days use the deployment's time zone, which is ahead of UTC.
  const today = DateTime.now().setZone('Africa/Nairobi').toISODate() ?? '';
  const form = { rail: 'loud', from: today, to: today };
  const bring = (content: string | Buffer, name = 'C:\\Users\\<b>\\nov.json', role: Role = 'operator') =>
    callWithFile(portal, {
      ...{ path: '/ops/reconciliation/file', token: tokens[role], form, file: { name, content } },
    });
  const kept = () => portal.db('provider_statements').where({ provider: format.provider });

  it('is stored and compared once under its name; one unreadable line rejects the whole file', async () => {
    const lines = JSON.stringify([line('LOUD-77')]);
    const brought = await bring(lines);
    expect([brought.status, brought.text.includes('LOUD-77')]).toEqual([200, true]);
    expect(await kept()).toMatchObject([{ file_name: 'nov.json', line_count: 1 }]);
    const auditLines = portal.db('audit_log').where('action', 'like', 'reconcile%').orderBy('seq');
    expect(await auditLines.select('acted_by', 'action')).toEqual([
      { acted_by: 'the-operator', action: 'reconcile' },
      { acted_by: 'the-operator', action: 'reconcile.done' },
    ]);
    expect((await get('auditor', '/ops/reconciliation')).text).toContain('nov.json');
    expect((await bring(lines, 'again.json')).status).toBe(200);
    expect(await kept()).toHaveLength(1);
    const broken = await bring(JSON.stringify([line('LOUD-78'), line('LOUD-79', { amountMinor: 'x' })]));
    expect([broken.status, broken.text.includes('nothing was stored')]).toEqual([409, true]);
    expect(
      await portal.db('statement_lines').where('provider_reference', 'like', 'LOUD-7%').pluck('n'),
    ).toEqual([1]);
  });

  it('is never a file of the server, and needs the right to upload', async () => {
    for (const name of ['/etc/passwd', '../../package.json'])
      expect((await bring('', name)).status).toBe(422);
    expect(
      (await post('operator', '/ops/reconciliation/file', { ...form, 'file.name': '/etc/passwd' })).status,
    ).toBe(422);
    expect((await bring('[]', 'x.json', 'auditor')).status).toBe(403);
    const large = await bring(Buffer.alloc(17 * 1024 * 1024, 0x20));
    expect([large.status, large.text.includes('16 MB')]).toEqual([413, true]);
    expect(await kept()).toHaveLength(1);
  });

  it('has a heading that says whether open items remain, and links to them', async () => {
    const brought = await bring(JSON.stringify([line('LOUD-80'), line('LOUD-81', { state: 'failed' })]));
    expect(brought.text).toContain('<h1>Not everything is explained</h1>');
    expect(brought.text).toMatch(/Open items: \d+, of KES [\d,]+\.00\./);
    expect(brought.text).not.toContain('<h1>Done</h1>');
    const unmatched = await portal.db('unmatched_receipts').where({ provider_reference: 'LOUD-80' }).first();
    expect(brought.text).toContain(`href="/ops/unmatched/${unmatched?.receipt_id ?? ''}">LOUD-80</a>`);
    expect(brought.text).toContain('only in the statement');
    for (const id of await portal.db('unmatched_receipts').where({ state: 'open' }).pluck('receipt_id'))
      await post('operator', `/ops/unmatched/${id}/assign`, { whose: 'bank', reason: 'ours' });
    const kept = await post('operator', '/ops/reconciliation', { ...form, kept: '1' });
    expect(kept.text).toContain('<h1>Everything is explained</h1>');
    expect(kept.text).toContain('Matching rules');
    expect(kept.text).toContain('not_moved:failed');
  });

  it('can be uploaded ten times per minute, readable or not', async () => {
    await portal.db('rate_limit_buckets').where('bucket', 'like', 'portal:statements:%').delete();
    const broken = JSON.stringify([line('LOUD-82', { amountMinor: 'x' })]);
    for (let n = 0; n < 10; n += 1) expect((await bring(broken)).status).toBe(409);
    const slow = await bring(broken);
    expect([slow.status, slow.text.includes('Too many attempts')]).toEqual([422, true]);
  });
});

describe('a statement that was uploaded by mistake', () => {
  it('is withdrawn with a reason, with approval if the rule needs it; the report lists the matching rules', async () => {
    const unmatched = await anUnmatchedReceipt(portal);
    const of = await portal
      .db('unmatched_receipts')
      .where({ receipt_id: unmatched })
      .first('line_id', 'provider_reference');
    const reported = await portal
      .db('statement_lines')
      .where({ line_id: of?.line_id ?? '' })
      .first('statement_id');
    const path = `/ops/reconciliation/statements/${reported?.statement_id ?? ''}/withdraw`;
    const state = async () =>
      (await portal.db('unmatched_receipts').where({ receipt_id: unmatched }).first('state'))?.state;
    expect((await get('operator', '/ops/reconciliation')).text).toContain(`action="${path}"`);
    expect((await post('operator', path, { reason: ' ' })).status).toBe(422);
    expect(
      (await post('operator', '/ops/reconciliation/statements/none/withdraw', { reason: 'x' })).status,
    ).toBe(404);
    expect(await state()).toBe('open');
    const rule = { kind: 'money', currency: '', from_minor: '0', set_by: 'amina' } as const;
    await setApprovalRule(portal.db, rule, () => Promise.resolve());
    expect((await post('operator', path, { reason: 'amounts were read wrongly' })).status).toBe(202);
    expect(await state()).toBe('open');
    const asked = await portal.db('approvals').orderBy('approval_id', 'desc').first('approval_id');
    expect((await post('approver', `/ops/approvals/${asked?.approval_id ?? ''}/approve`)).status).toBe(200);
    expect(await state()).toBe('withdrawn');
    await setApprovalRule(portal.db, { ...rule, from_minor: null }, () => Promise.resolve());
    const page = (await get('operator', '/ops/reconciliation')).text;
    expect(page).not.toContain(`action="${path}"`);
    expect(page).toContain('Withdrawn by ');
    expect((await get('operator', `/ops/unmatched/${unmatched}`)).text).toContain('statement withdrawn');
  });
});

describe('an unmatched receipt that may belong to a payment without a receipt', () => {
  it('preselects the payment with the reasons, and refuses a wallet unless the operator says that it is other money', async () => {
    const phone = '254712000777';
    const asked = { merchantId, with: { phone_number: phone, provider_reference: null } };
    const engine = testContext(portal.test.db);
    const paid = () => deposit(engine, asked, 'initiating', 'pending', 'succeeded');
    const both = [await paid(), await paid()];
    const [first, second] = [
      await anUnmatchedReceipt(portal, { phone }),
      await anUnmatchedReceipt(portal, { phone }),
    ];
    const page = (await get('operator', `/ops/unmatched/${first}`)).text;
    expect(page).toContain('This may be the money of a payment that is already booked.');
    expect(page).toMatch(/value="payment" required checked> <span>This payment: store this receipt/);
    const like = /name="beside" value="([^"]+)"/.exec(page)?.[1] ?? '';
    expect(both).toContain(like);
    const wallet = { whose: 'wallet', merchant: merchantId, reason: 'paid to the till' };
    const refused = await post('operator', `/ops/unmatched/${first}/assign`, wallet);
    expect([refused.status, refused.text.includes('Its money is booked already')]).toEqual([409, true]);
    const back = { reference: 'BACK-1', reason: 'sent back' };
    expect((await post('operator', `/ops/unmatched/${first}/returned`, back)).status).toBe(409);
    const own = { whose: 'payment', payment: like, reason: 'the slip has this receipt' };
    expect((await post('operator', `/ops/unmatched/${first}/assign`, own)).status).toBe(200);
    expect(await portal.db('payments').where({ payment_id: like }).first()).toMatchObject({
      ...{ state: 'succeeded', provider_reference: expect.any(String) as unknown },
    });
    const other = both.find((id) => id !== like) ?? '';
    const beside = { ...wallet, beside: other };
    // There is an approver, who must approve although the sandbox has no rule.
    expect((await post('operator', `/ops/unmatched/${second}/assign`, beside)).status).toBe(202);
    expect((await portal.db('unmatched_receipts').where({ receipt_id: second }).first())?.state).toBe('open');
  });

  it('shows the warning also for a payment that can still succeed', async () => {
    const phone = '254712000888';
    const asked = { merchantId, with: { phone_number: phone, provider_reference: null } };
    await deposit(testContext(portal.test.db), asked, 'initiating', 'pending');
    const id = await anUnmatchedReceipt(portal, { phone });
    const page = (await get('operator', `/ops/unmatched/${id}`)).text;
    expect(page).toContain('a payment that can still succeed');
    const wallet = { whose: 'wallet', merchant: merchantId, reason: 'paid to the till' };
    expect((await post('operator', `/ops/unmatched/${id}/assign`, wallet)).status).toBe(409);
  });
});

it('are closed to an operator who was revoked meanwhile', async () => {
  const person = await createPlatformPerson(portal, 'operator', 'leaver');
  const token = await sessionOf(portal, person);
  await portal
    .db('operators')
    .where({ name: person.operatorName ?? '' })
    .update({ revoked_at: new Date() });
  for (const path of ['/ops', '/ops/cases'])
    expect((await call(portal, { method: 'GET', path, token })).status).toBe(404);
});

describe("a user's sessions", () => {
  it('are ended by an operator with an audit line; other platform roles can only see them', async () => {
    const email = '-gone@duka.example';
    const person = await createPerson(portal.db, email);
    const theirs = await sessionOf(portal, person);
    const security = () => call(portal, { method: 'GET', path: '/security', token: theirs });
    expect((await security()).status).toBe(200);
    const path = `/ops/users?email=${encodeURIComponent(email)}`;
    const seen = await get('auditor', path);
    expect([seen.text.includes(email), seen.text.includes('End all sessions')]).toEqual([true, false]);
    expect((await post('auditor', '/ops/users/sign-out', { email })).status).toBe(403);
    expect((await get('operator', path)).text).toContain('End all sessions');
    const ended = await post('operator', '/ops/users/sign-out', { email });
    expect(ended.status).toBe(200);
    expect(ended.text).toMatch(/<dt>Sessions ended<\/dt><dd>1<\/dd>/);
    expect(await newest()).toMatchObject({
      acted_by: 'the-operator',
      action: 'user.sign-out',
      subject_id: person.userId,
    });
    expect((await security()).to).toContain('/sign-in');
    expect((await get('operator', path)).text).toContain(email);
  });

  it.each(['nobody@duka.example', '', '--help', 'é'])(
    'are not found for an unknown address: %j',
    async (email) => {
      expect((await post('operator', '/ops/users/sign-out', { email })).status).toBe(422);
      expect((await get('operator', `/ops/users?email=${encodeURIComponent(email)}`)).status).toBe(200);
    },
  );
});
