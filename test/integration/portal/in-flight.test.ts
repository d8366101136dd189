/** A request that passed the access check fails if the session ends or the role changes before its transaction. */
import { changeRole } from '../../../src/users/members';
import { endSession, findSession } from '../../../src/users/sessions';
import { recordOf } from '../../../src/portal/pages/parts';
import { revealPhone } from '../../../src/portal/pages/payment';
import type { MerchantVisit } from '../../../src/portal/visit';
import { getMerchantOrThrow } from '../../../src/merchants/merchants';
import { inTransaction } from '../../../src/store/transaction';
import { CredentialsChanged, renewCredentials } from '../../../src/users/credentials';
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { call, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

let shops = 0;
/** One of two owners, after the access check. */
async function letIn() {
  const { db, box } = portal;
  shops += 1;
  const merchantId = await aMerchant(db, box);
  const join = (name: string) =>
    createPerson(db, `${name}@flight${String(shops)}.example`, { merchantId, role: 'owner' });
  const [owner, other] = [await join('owner'), await join('other')];
  const token = await sessionOf(portal, owner);
  const session = await findSession(db, token);
  if (!session) throw new Error('not signed in');
  const place = { merchant: await getMerchantOrThrow(db, merchantId), as: 'owner' };
  const visit = { session, place } as MerchantVisit;
  const acted = () =>
    inTransaction(db, async (trx) => {
      await trx('merchants').where({ merchant_id: merchantId }).update({ name: 'Acted' });
      await recordOf(visit, trx, 'test.act');
    });
  const name = async () => (await db('merchants').where({ merchant_id: merchantId }).first())?.name;
  return { merchantId, owner, other, token, session, visit, acted, name };
}

it('works while session, credentials and role are unchanged', async () => {
  const { acted, name } = await letIn();
  await acted();
  expect(await name()).toBe('Acted');
});

it.each(['session', 'credentials', 'role'] as const)('fails after a change of its %s', async (what) => {
  const { merchantId, owner, session, acted, name } = await letIn();
  await inTransaction(portal.db, async (trx) => {
    const { userId } = owner;
    if (what === 'session') await endSession(trx, userId, session.sessionId);
    if (what === 'credentials') await renewCredentials(trx, userId, 'all');
    if (what === 'role') await changeRole(trx, { merchantId, userId, role: 'finance' });
  });
  await expect(acted()).rejects.toThrow(CredentialsChanged);
  expect(await name()).toBe('Duka');
});

it('shows no phone number after the session has ended', async () => {
  const { db } = portal;
  const { merchantId, owner, session, visit } = await letIn();
  const phone = { phone_number: '254708374149' };
  const { payment_id: payment } = await insertPayment(db, { merchantId, rail: 'stk', with: phone });
  await inTransaction(db, (trx) => endSession(trx, owner.userId, session.sessionId));
  await expect(revealPhone({ ...visit, db, params: { payment } })).rejects.toThrow(CredentialsChanged);
  expect(await db('audit_log').where({ action: 'payment.reveal_phone' })).toEqual([]);
});

it('lets only one of two owners remove the other at the same moment', async () => {
  const { merchantId, owner, other, token } = await letIn();
  const remove = (by: string, { userId }: { userId: string }) =>
    call(portal, {
      ...{ method: 'POST', path: `/m/${merchantId}/team/remove`, token: by },
      form: { user: userId, sure: '1' },
    });
  const answers = await Promise.all([remove(token, other), remove(await sessionOf(portal, other), owner)]);
  const done = answers.filter(({ to }) => to.includes('?done=removed'));
  expect(done).toHaveLength(1);
  const left = await portal.db('memberships').where({ merchant_id: merchantId }).pluck('role');
  expect(left).toEqual(['owner']);
});

it('lets owners give up their own role', async () => {
  const { merchantId, owner, token } = await letIn();
  const answer = await call(portal, {
    ...{ method: 'POST', path: `/m/${merchantId}/team/role`, token },
    form: { user: owner.userId, role: 'viewer' },
  });
  expect(answer.to).toContain('?done=role');
});
