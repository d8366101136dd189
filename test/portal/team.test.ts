import { aMerchant, createPerson } from '../people/people-support';
import { call, sessionOf, startPortal, type TestPortal } from './portal-support';

let portal: TestPortal;
beforeAll(async () => {
  portal = await startPortal();
});
afterAll(() => portal.stop());

it('invites nobody so often that a mailbox is filled, however the address is written', async () => {
  const merchantId = await aMerchant(portal.db, portal.box);
  const owner = await createPerson(portal.db, 'owner@duka.example', { merchantId, role: 'owner' });
  const token = await sessionOf(portal, owner);
  const invite = (email: string) =>
    call(portal, {
      ...{ method: 'POST', path: `/m/${merchantId}/team/invite`, token },
      form: { email, role: 'viewer' },
    });
  for (const email of ['amina@duka.example', 'Amina@duka.example', ' amina@duka.example '])
    expect((await invite(email)).to).toContain('?done=invited');
  const refused = await invite('AMINA@duka.example');
  expect([refused.status, refused.text.includes('This address was mailed several times')]).toEqual([
    422,
    true,
  ]);
  expect(await portal.db('mails').where({ recipient: 'amina@duka.example' })).toHaveLength(3);
  expect((await invite('brian@duka.example')).status).toBe(303);
});
