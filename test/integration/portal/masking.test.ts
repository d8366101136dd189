/** A customer's number in webhook bodies: masked, and shown on request to authorized users. */
import { maskedBody, maskedIn } from '../../../src/portal/pages/payment-words';
import type { AnyRole } from '../../../src/portal/visit';
import { roles } from '../../../src/users/operators';
import { merchantRoles } from '../../../src/users/roles';
import type { Person } from '../../../src/users/users';
import {
  aWebhook,
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';

let portal: TestPortal;
let merchantId: string;
let paymentId: string;
let webhookId: string;
const persons = {} as Record<AnyRole, Person>;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  const with_ = {
    phone_number: '254708374149',
    state: 'failed' as const,
    result_text: 'no wallet 0708374149',
  };
  ({ payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk', with: with_ }));
  await portal.test.db('payment_log').insert({
    ...{
      payment_id: paymentId,
      from_state: 'received',
      to_state: 'failed',
      cause: 'callback',
      at: new Date(),
    },
    evidence: '17 254708374149 is not known',
  });
  webhookId = await aWebhook(portal.db, { merchantId, paymentId });
  await portal.test.db('webhook_deliveries').insert({
    ...{ webhook_id: webhookId, n: 1, at: new Date(), url: 'https://duka.example/hook', http_status: 500 },
    ...{ duration_ms: 3, error: 'HTTP 500', response_excerpt: 'no order of +254708374149' },
  });
  for (const role of merchantRoles)
    persons[role] = await createPerson(portal.db, `${role}@duka.example`, { merchantId, role });
  for (const role of roles) persons[role] = await createPlatformPerson(portal, role);
});
afterAll(() => portal.stop());

const whole = '708374149';
const everybody: readonly AnyRole[] = [...merchantRoles, ...roles];
const linesOf = async (role: AnyRole) =>
  portal
    .db('audit_log')
    .where({ acted_by: `user:${persons[role].userId}` })
    .pluck('action');

async function as(role: AnyRole, method: 'GET' | 'POST', path: string) {
  const token = await sessionOf(portal, persons[role]);
  return call(portal, { method, path: `/m/${merchantId}${path}`, token });
}

describe.each(everybody)("a customer's number, for %s", (role) => {
  it('is masked on every page', async () => {
    for (const path of [`/payments/${paymentId}`, `/webhooks/${webhookId}`, '/payments', '/webhooks']) {
      const { text } = await as(role, 'GET', path);
      expect([path, text.includes(whole)]).toEqual([path, false]);
    }
    expect(await linesOf(role)).toEqual([]);
  });

  it('is shown on request to an authorized user, with an audit line', async () => {
    const may = ['owner', 'finance', 'developer', 'operator'].includes(role);
    const { status, text } = await as(role, 'POST', `/payments/${paymentId}/phone`);
    expect([status, text.includes(whole)]).toEqual([may ? 200 : 403, may]);
    expect(await linesOf(role)).toEqual(may ? ['payment.reveal_phone'] : []);
  });

  it('is shown in a webhook body on request to owners and developers, with an audit line', async () => {
    const may = ['owner', 'developer'].includes(role);
    const { status, text } = await as(role, 'POST', `/webhooks/${webhookId}/body`);
    expect([status, text.match(new RegExp(whole, 'g'))?.length ?? 0]).toEqual(may ? [200, 2] : [403, 0]);
    expect((await linesOf(role)).includes('webhook.reveal_body')).toBe(may);
  });
});

it('is masked everywhere, in every spelling', () => {
  const body = {
    phone_number: '254700000001',
    Items: [
      { Name: 'PhoneNumber', Value: 254708374149 },
      { Name: 'Amount', Value: 100 },
    ],
    note: 'call 0708374149 or +254708374149, order 254708374140',
    details: { payer_email: 'amina@example.com', msisdn: 254708374149 },
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
  };
  expect(JSON.parse(maskedBody(JSON.stringify(body), '254708374149'))).toEqual({
    phone_number: '••• 001',
    Items: [
      { Name: 'PhoneNumber', Value: '••• 149' },
      { Name: 'Amount', Value: 100 },
    ],
    note: 'call ••• 149 or +••• 149, order 254708374140',
    details: { payer_email: '••• com', msisdn: '••• 149' },
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
  });
  expect([maskedIn('254708374149', null), maskedIn('', '254708374149')]).toEqual(['254708374149', '']);
});
