/** Names by a merchant, a provider or a browser are text on every page, and never part of a header. */
import { openCase } from '../../../src/controls/cases';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { portalRoutes } from '../../../src/portal/routes';
import { inTransaction } from '../../../src/store/transaction';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import {
  anUnmatchedReceipt,
  aWebhook,
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { asOurs } from '../../support/own-rows';

/**
 * The markup that each would be if it were not escaped: an element, an attribute, and a directive of the templates or
 * of htmx.
 */
const hostile = `"><x-evil onerror='x' hx-get="/sign-out">{{1}}<%= it.csrf %>`;

let portal: TestPortal;
const ids: Record<string, string> = { rail: 'momo', token: 'x', endpoint: 'x' };
let tokens: { owner: string; operator: string };
beforeAll(async () => {
  portal = await startPortal();
  const { db } = portal.test;
  const merchantId = await aMerchant(portal.db, portal.box);
  await db('merchants').update({ name: hostile });
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  const operator = await createPlatformPerson(portal, 'operator');
  const payment = await insertPayment(db, {
    merchantId,
    rail: 'stk',
    with: {
      ...{
        account_reference: hostile,
        order_id: hostile,
        result_text: hostile,
        result_code: hostile.slice(0, 60),
      },
      ...{ provider_reference: hostile, provider_receipt: hostile, request_id: hostile.slice(0, 80) },
    },
  });
  const { payment_id: paymentId } = payment;
  await openCase(db, paymentId, { reason: 'amount_differs', detail: hostile });
  await db('payment_log').insert({
    ...{ payment_id: paymentId, from_state: 'received', to_state: 'pending', cause: 'callback' },
    ...{ evidence: hostile, at: new Date() },
  });
  const webhookId = await aWebhook(portal.db, { merchantId, paymentId });
  await db('outbox').update({ body: JSON.stringify({ [hostile]: hostile }), state: 'dead' });
  await db('webhook_deliveries').insert({
    ...{
      webhook_id: webhookId,
      n: 1,
      at: new Date(),
      url: `https://duka.example/${hostile}`,
      http_status: 500,
    },
    ...{ duration_ms: 3, error: hostile, response_excerpt: hostile },
  });
  await db('api_keys').update({ name: hostile.slice(0, 60) });
  const rows = [
    { phone_number: hostile, amount: hostile, currency: 'KES', account_reference: hostile, note: hostile },
  ];
  const made = { merchantId, rail: 'momo', name: hostile, rows, userId: owner.userId };
  const batchId = await inTransaction(db, (trx) => makeBatch(trx, made));
  await db('payout_batches').update({ state: 'waiting', asked_at: new Date(), reason: hostile });
  await asOurs(db, 'payout_batches', batchId);
  const unmatchedId = await anUnmatchedReceipt(portal);
  await db('statement_lines').update({ description: hostile, our_reference: hostile });
  await db('provider_statements').update({ file_name: hostile });
  const asked = { sentence: hostile, facts: [[hostile, hostile]] };
  await db.raw(
    `INSERT INTO approvals (action, version, input, texts, kind, asked_by, asked_at, expires_at)
     VALUES ('float.add', 1, ?, ?, 'money', 'another', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 DAY)`,
    [JSON.stringify({ reason: hostile }), JSON.stringify({ en: asked, sw: asked })],
  );
  await db.raw(
    `INSERT INTO payout_pauses (with_refunds, reason, begun_by, begun_at, begun_log_id)
     VALUES (0, ?, 'another', UTC_TIMESTAMP(3), 0)`,
    [hostile],
  );
  const caseId = (await db('cases').first('case_id'))?.case_id ?? '';
  Object.assign(ids, { merchant: merchantId, shop: merchantId, payment: paymentId, webhook: webhookId });
  Object.assign(ids, { case: caseId, batch: batchId, unmatched: unmatchedId });
  tokens = { owner: await sessionOf(portal, owner), operator: await sessionOf(portal, operator) };
  await db('user_sessions').update({ agent: hostile });
});
afterAll(() => portal.stop());

const pages = portalRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path);
const asked = encodeURIComponent(hostile);
const queries = ['q', 'by', 'action', 'after', 'before', 'done', 'next', 'name', 'from', 'trouble', 'days'];

it.each(pages)('is text on %s', async (page) => {
  const path = page.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '');
  for (const token of Object.values(tokens))
    for (const query of ['', `?${queries.map((name) => `${name}=${asked}`).join('&')}`]) {
      const { status, text, headers } = await call(portal, { method: 'GET', path: `${path}${query}`, token });
      const isPage = headers.get('content-type')?.startsWith('text/html') === true;
      // Neither an element, nor the end of its attribute.
      const isOpen = /<x-evil|"(?:>|&gt;)(?:<|&lt;)x-evil/.test(text);
      expect([path, status < 500, isPage && isOpen]).toEqual([path, true, false]);
      const saved = headers.get('content-disposition');
      if (saved !== null) expect(saved).toMatch(/^attachment; filename="[\w.-]+"$/);
      expect(headers.get('location') ?? '/').toMatch(/^\/(?!\/)/);
    }
});

const forms = portalRoutes.filter(({ method }) => method === 'POST').map(({ path }) => path);
it.each(forms)('is rejected by %s with invisible characters', async (page) => {
  const path = page.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x');
  for (const unseen of ['\u001b[2J', '\u0007', '\u007f', '\u009b', '\u202e']) {
    const form = { reason: `a${unseen}` };
    const { status, text } = await call(portal, { method: 'POST', path, token: tokens.operator, form });
    expect([path, status, text.includes('contains invisible characters')]).toEqual([path, 422, true]);
  }
});

it('has its bidirectional control characters escaped, whatever its source', async () => {
  const { db } = portal.test;
  const turned = 'A\u202e\u2066\u001b[2J\u009bB';
  await db('payments')
    .where({ payment_id: ids['payment'] ?? '' })
    .update({ order_id: turned, account_reference: turned, result_text: turned });
  await db('statement_lines').update({ description: turned, our_reference: turned });
  await db('outbox').update({ body: JSON.stringify({ [turned]: turned }) });
  await db('webhook_deliveries').update({ response_excerpt: turned, error: turned });
  const seen = new Set<string>();
  for (const page of pages)
    for (const token of Object.values(tokens)) {
      const path = page.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '');
      const { text, headers } = await call(portal, { method: 'GET', path, token });
      if (headers.get('content-type')?.startsWith('text/html') !== true) continue;
      expect([page, /[\u202a-\u202e\u2066-\u2069\u0080-\u009f\u001b]/.exec(text)?.index]).toEqual([
        page,
        undefined,
      ]);
      if (text.includes('A\\u202e\\u2066\\u001b[2J\\u009bB')) seen.add(page);
    }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      '/m/:merchant/payments/:payment',
      '/m/:merchant/webhooks/:webhook',
      '/ops/unmatched/:unmatched',
    ]),
  );
});

it('may have several lines, and a password may have anything', async () => {
  const form = { email: 'nobody@duka.example', password: 'a\u001b\u202e', note: 'two\r\nlines\t\u200d' };
  const { text } = await call(portal, { method: 'POST', path: '/sign-in', form });
  expect(text).not.toContain('contains invisible characters');
});

it('redirects to no other place after a form', async () => {
  for (const next of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    hostile,
  ]) {
    const form = { language: 'en', next };
    const { to } = await call(portal, { method: 'POST', path: '/language', token: tokens.owner, form });
    expect([next, to]).toEqual([next, '/']);
  }
});
