/** Every route of the table, as every role, signed out, before the second factor, and as a user of another merchant. */
import { openCase } from '../../../src/controls/cases';
import { makeBatch } from '../../../src/portal/payouts/batches';
import { portalRoutes, type PortalRoute } from '../../../src/portal/routes';
import type { AnyRole } from '../../../src/portal/visit';
import { inTransaction } from '../../../src/store/transaction';
import { roles } from '../../../src/users/operators';
import { merchantRoles } from '../../../src/users/roles';
import type { Person } from '../../../src/users/users';
import { asOurs } from '../../support/own-rows';
import {
  aKeyThatWaits,
  anEndpoint,
  anUnmatchedReceipt,
  aWebhook,
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { aMerchant, createPerson, giveSecondFactor } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';

let portal: TestPortal;
let merchantId: string;
let paymentId: string;
let webhookId: string;
let caseId: string;
let batchId: string;
let confirmationId: string;
let unmatchedId: string;
let statementId: string;
let endpointId: string;
let half: Person;
let other: Person;
const persons = {} as Record<AnyRole, Person>;
beforeAll(async () => {
  portal = await startPortal();
  const { db, box } = portal;
  merchantId = await aMerchant(db, box);
  const payment = await insertPayment(db, {
    merchantId,
    rail: 'stk',
    with: { phone_number: '254708374149' },
  });
  paymentId = payment.payment_id;
  await openCase(db, paymentId, { reason: 'amount_differs', detail: 'seen' });
  caseId = (await db('cases').first('case_id'))?.case_id ?? '';
  webhookId = await aWebhook(db, { merchantId, paymentId });
  for (const role of merchantRoles)
    persons[role] = await createPerson(db, `${role}@duka.example`, { merchantId, role });
  endpointId = await anEndpoint(portal, merchantId);
  unmatchedId = await anUnmatchedReceipt(portal);
  statementId = (await db('provider_statements').first('statement_id'))?.statement_id ?? '';
  const rows = [{ phone_number: '+254708374149', amount: '1.00', currency: 'KES', account_reference: 'x' }];
  const made = { merchantId, rail: 'momo', name: 'List', rows, userId: persons.owner.userId };
  batchId = await inTransaction(db, (trx) => makeBatch(trx, made));
  await portal.test.db('payout_batches').update({ state: 'waiting', asked_at: new Date() });
  await asOurs(db, 'payout_batches', batchId);
  confirmationId = await aKeyThatWaits(portal, merchantId, persons.owner);
  for (const role of roles) persons[role] = await createPlatformPerson(portal, role);
  half = await createPerson(db, 'half@duka.example', { merchantId, role: 'owner' });
  await giveSecondFactor(db, box, half, Date.now() - 120_000);
  const elsewhere = await aMerchant(db, box, 'Elsewhere');
  other = await createPerson(db, 'other@duka.example', { merchantId: elsewhere, role: 'owner' });
});
afterAll(() => portal.stop());

const isOfMerchant = ({ who }: PortalRoute) => typeof who !== 'string';
const forms: Record<string, Record<string, string>> = {
  '/m/:merchant/team/invite': { email: 'somebody@duka.example', role: 'viewer' },
};

const pathOf = (path: string) =>
  path
    .replace(':merchant', merchantId)
    .replace(':payment', paymentId)
    .replace(':webhook', webhookId)
    .replace(':case', caseId)
    .replace(':batch', batchId)
    .replace(':confirmation', confirmationId)
    .replace(':unmatched', unmatchedId)
    .replace(':statement', statementId)
    .replace(':endpoint', endpointId)
    .replace(':shop', merchantId)
    .replace(':rail', 'momo');

function ask({ method, path }: PortalRoute, token?: string, headers?: Record<string, string>) {
  const at = pathOf(path).replace(/:\w+/, 'x');
  return call(portal, { method, path: at, token, form: forms[path] ?? {}, ...(headers && { headers }) });
}

/** Whether the guard let the request through; the result of an empty form does not matter. */
const wasRefused = ({ status, to, text }: Awaited<ReturnType<typeof ask>>) =>
  (status === 303 && /^\/(?:sign-in\?next|second-factor|confirm)/.test(to)) ||
  (status === 303 && to === '/sign-in') ||
  text.includes('Your role does not allow this') ||
  text.includes('The page was open too long');

const nameOf = ({ method, path }: PortalRoute) => `${method} ${path}`;

/** Routes that ask for the identity again: exactly these do. */
const askedAgain = [
  ...['GET payments/:payment/refund', 'GET payments/:payment/cancel', 'GET payouts/new'],
  ...['POST payments/:payment/refund', 'POST payments/:payment/cancel', 'POST duplicates/:payment/dismiss'],
  ...['POST payouts/one', 'POST payouts/file', 'POST payouts/:batch/ask', 'POST payouts/:batch/approve'],
  ...['POST payouts/:batch/reject', 'POST developers/keys', 'POST developers/keys/revoke'],
  ...['POST developers/keys/scopes', 'POST keys/:confirmation/confirm', 'POST keys/:confirmation/refuse'],
  ...['POST developers/addresses', 'POST developers/access', 'POST developers/webhook-secret'],
  ...['POST endpoints', 'POST endpoints/:endpoint/secret', 'POST endpoints/:endpoint/end', 'POST settings'],
  ...['POST team/invite', 'POST team/role', 'POST team/remove'],
].map((name) => name.replace(' ', ' /m/:merchant/'));
askedAgain.push(
  ...['app/remove', 'passkey/remove', 'recovery-codes', 'password'].map((name) => `POST /security/${name}`),
  ...[
    ...['cases/:case/resolve', 'merchants', 'merchants/:id/status', 'merchants/:shop/float'],
    ...['merchants/:shop/limit', 'merchants/:shop/limit/remove', 'merchants/:shop/fee'],
    ...['merchants/:shop/fee/remove', 'reconciliation', 'reconciliation/file', 'unmatched/:unmatched/assign'],
    ...[
      'holds/:payment/release',
      'unmatched/:unmatched/returned',
      'pauses',
      'pauses/end',
      'users/sign-out',
      'reconciliation/statements/:statement/withdraw',
      'approvals/:id/approve',
      'approvals/:id/reject',
    ],
  ].map((name) => `POST /ops/${name}`),
);

it('lists only existing routes for asking again', () => {
  const names = portalRoutes.map(nameOf);
  expect(askedAgain.filter((name) => !names.includes(name))).toEqual([]);
});

describe.each(portalRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_, route) => {
    it('gives a signed-out visitor only public pages', async () => {
      const answer = await ask(route);
      if (route.who === 'anybody') expect(wasRefused(answer)).toBe(false);
      else expect([answer.status, answer.to]).toEqual([303, expect.stringMatching(/^\/sign-in/)]);
    });

    it('waits for the second factor of a user who has one', async () => {
      const answer = await ask(route, await sessionOf(portal, half));
      if (route.who === 'anybody') expect(wasRefused(answer)).toBe(false);
      else if (route.who !== 'half')
        expect([answer.status, answer.to]).toEqual([303, expect.stringMatching(/^\/second-factor/)]);
      else if (['/security/app', '/security/passkey'].includes(route.path))
        expect(answer.to).toMatch(/^\/second-factor/);
      else expect(answer.to).not.toMatch(/^\/confirm/);
    });

    if (route.who === 'platform') {
      it.each(roles)('is open to %s as the table says', async (role) => {
        const answer = await ask(route, await sessionOf(portal, persons[role]));
        expect(wasRefused(answer)).toBe(!route.roles.includes(role));
        if (wasRefused(answer)) expect(answer.status).toBe(403);
        if (route.method === 'GET') expect(answer.status).toBe(200);
      });

      it('does not exist for a user without a platform role', async () => {
        for (const person of [persons.owner, other])
          expect((await ask(route, await sessionOf(portal, person))).status).toBe(404);
      });
    }

    if (isOfMerchant(route)) {
      it.each([...merchantRoles, ...roles])('is open to %s as the table says', async (role) => {
        const answer = await ask(route, await sessionOf(portal, persons[role]));
        expect(wasRefused(answer)).toBe(!route.who.includes(role as never));
        if (wasRefused(answer)) expect(answer.status).toBe(403);
        if (route.method === 'GET' && !wasRefused(answer)) expect(answer.status).toBe(200);
      });

      it('does not exist for a user of another merchant', async () => {
        const [theirs, nobodys] = [
          await ask(route, await sessionOf(portal, other)),
          await call(portal, {
            method: route.method,
            path: route.path.replace(':merchant', 'nobody').replace(/:\w+/, 'x'),
            token: await sessionOf(portal, other),
          }),
        ];
        expect([theirs.status, nobodys.status]).toEqual([404, 404]);
        expect(theirs.text).not.toMatch(/254708374149|Duka/);
      });
    }

    if (route.who !== 'anybody' && route.who !== 'half') {
      const isAsked = askedAgain.includes(nameOf(route));
      it(isAsked ? 'asks once more who sits there' : 'does not ask once more', async () => {
        const who = route.who === 'platform' ? persons.operator : persons.owner;
        const { status, to } = await ask(route, await sessionOf(portal, who, { isFresh: false }));
        expect([to.startsWith('/confirm?next=%2F'), isAsked ? status : 303]).toEqual([isAsked, 303]);
      });
    }

    if (route.method === 'POST') {
      it.each([
        ['another origin', { origin: 'https://evil.example' }],
        ['no origin', { origin: 'null' }],
      ])('does nothing for a form from %s', async (_where, headers) => {
        const answer = await ask(route, await sessionOf(portal, persons.owner), headers);
        expect([answer.status, wasRefused(answer)]).toEqual([403, true]);
      });

      it('does nothing for a form without its page’s token', async () => {
        const token = await sessionOf(portal, persons.owner);
        const path = pathOf(route.path);
        for (const csrf of ['', 'x'.repeat(43), 'é'])
          expect((await call(portal, { method: 'POST', path, token, form: { csrf } })).status).toBe(403);
      });
    }
  },
);

it('answers no method and no path outside the table', async () => {
  const token = await sessionOf(portal, persons.owner);
  for (const [method, path] of [
    ['POST', `/m/${merchantId}/payments`],
    ['GET', '/sign-out'],
    ['DELETE', '/security'],
    ['GET', `/m/${merchantId}/nothing`],
    ['GET', '/%ff'],
  ] as const)
    expect((await call(portal, { method, path, token })).status).toBe(404);
});

it('keeps no role for a removed member or a revoked operator', async () => {
  const [gone, revoked] = [
    await createPerson(portal.db, 'gone@duka.example', { merchantId, role: 'viewer' }),
    persons.auditor,
  ];
  const tokens = [await sessionOf(portal, gone), await sessionOf(portal, revoked)];
  const statuses = async () =>
    Promise.all(
      tokens.map(
        async (token) => (await call(portal, { method: 'GET', path: `/m/${merchantId}`, token })).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  await portal.db('memberships').where({ user_id: gone.userId }).delete();
  await portal.db('operators').where({ name: 'the-auditor' }).update({ revoked_at: new Date() });
  expect(await statuses()).toEqual([404, 404]);
});

it('answers the same for another merchant’s payment and an unknown one', async () => {
  const foreign = await insertPayment(portal.db, { merchantId: await aMerchant(portal.db, portal.box) });
  const token = await sessionOf(portal, persons.owner);
  const path = `/m/${merchantId}/payments`;
  const neverWas = paymentId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  for (const id of [foreign.payment_id, 'x', 'ä', neverWas].map(encodeURIComponent))
    expect((await call(portal, { method: 'GET', path: `${path}/${id}`, token })).status).toBe(404);
  const found = await call(portal, { method: 'GET', path: `${path}?q=${foreign.payment_id}`, token });
  expect([found.status, found.text.includes(foreign.payment_id.slice(0, 13))]).toEqual([200, true]);
  expect(found.text).toContain('No payment matches');
});

it('loads nothing from other sites, runs no script in a page’s text, and allows no frame', async () => {
  const token = await sessionOf(portal, persons.owner);
  for (const path of ['/sign-in', '/security', `/m/${merchantId}/payments`, '/nothing']) {
    const { headers } = await call(portal, { method: 'GET', path, token });
    expect(headers.get('content-security-policy')?.split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    const others = ['x-frame-options', 'x-content-type-options', 'referrer-policy', 'cache-control'];
    expect(others.map((name) => headers.get(name))).toEqual(['DENY', 'nosniff', 'same-origin', 'no-store']);
  }
});
