/** What operators see of unclear payments: the evidence of a case, and payments with an unknown outcome. */
import { openCase } from '../../../src/controls/cases';
import { aMerchant } from '../../support/users/users-support';
import { deposit, transitionTo, testContext } from '../../support/verify/books-support';
import {
  call,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
let token: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
  await createPlatformPerson(portal, 'operator');
  token = await sessionOf(portal, await createPlatformPerson(portal, 'auditor'));
});
afterAll(() => portal.stop());

const get = (path: string) => call(portal, { method: 'GET', path, token });

it("a case shows our actions, the provider's reports, the likely cause and the safe next step, without secrets", async () => {
  const engine = testContext(portal.test.db);
  const paymentId = await deposit(engine, { merchantId }, 'initiating', 'pending');
  const { db } = portal.test;
  await openCase(db, paymentId, { reason: 'success_unconfirmed', detail: 'seen' });
  await db('attempts').insert({
    ...{
      payment_id: paymentId,
      n: 1,
      operation: 'deposit',
      provider_key: 'k',
      state: 'unknown',
      code: '504',
    },
    ...{ detail: 'the gateway timed out', sent_at: new Date(), answered_at: new Date() },
  });
  const reported = {
    ResultCode: 0,
    MSISDN: '254708374149',
    FirstName: 'Wanjiku',
    token: 'callback-secret',
    Paid: 90,
  };
  await db('inbox').insert({
    ...{
      rail: 'loud',
      event_key: Buffer.alloc(32, 7),
      payment_id: paymentId,
      source_address: '196.201.214.200',
    },
    ...{
      body: JSON.stringify(reported),
      state: 'ignored',
      reason: 'nobody vouches for it',
      received_at: new Date(),
    },
  });
  await transitionTo(engine, paymentId, 'processing', { cause: 'query' });
  const row = await db('cases').where({ payment_id: paymentId }).first('case_id');
  const { text } = await get(`/ops/cases/${row?.case_id ?? ''}`);
  for (const shown of [
    'the gateway timed out',
    'nobody vouches for it',
    '196.201.214.200',
    'ResultCode',
    '***149',
  ])
    expect(text).toContain(shown);
  for (const shown of [
    'Status from a notification: waiting',
    'Status from a status check: processing',
    'status service is down',
    'Safe next step',
  ])
    expect(text).toContain(shown);
  for (const hidden of ['254708374149', 'Wanjiku', 'callback-secret']) expect(text).not.toContain(hidden);
});

it('lists payments with an unknown outcome apart from other open payments', async () => {
  const engine = testContext(portal.test.db);
  const lost = { merchantId, with: { provider_reference: null } };
  const [unknown, waiting] = [
    await deposit(engine, lost, 'initiating', 'pending'),
    await deposit(engine, { merchantId }, 'initiating', 'pending'),
  ];
  expect((await get('/ops')).text).toMatch(/href="\/ops\/payments\?unknown=1">1</);
  const { text } = await get('/ops/payments?unknown=1');
  expect([text.includes(unknown), text.includes(waiting)]).toEqual([true, false]);
});
