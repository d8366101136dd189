/** Operators before a real browser: a case is decided by one and approved by another. */
import { openCase } from '../../../src/controls/cases';
import { aMerchant, codeOf, giveSecondFactor } from '../../support/users/people-support';
import { deposit, testContext } from '../../support/verify/books-support';
import { describeInBrowser, journeys, phoneOf, useVisitor } from '../../support/portal/browser-support';
import {
  anOrphan,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

describeInBrowser('the platform’s pages', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
    // As in live: one operator moves no money alone.
    await portal.test.db('approval_rules').insert({
      ...{ kind: 'money', currency: '', from_minor: '0', set_by: 'test' },
      set_at: new Date(),
    });
  });
  afterAll(() => portal.stop());

  async function aCase(): Promise<{ caseId: string; paymentId: string }> {
    const engine = testContext(portal.test.db);
    const paymentId = await deposit(engine, { merchantId }, 'initiating', 'pending');
    await openCase(portal.test.db, paymentId, {
      reason: 'amount_differs',
      detail: 'asked 100.00, told 90.00 KES',
    });
    const row = await portal.db('cases').where({ payment_id: paymentId }).first('case_id');
    return { caseId: row?.case_id ?? '', paymentId };
  }

  it.each(journeys)(
    'a case is resolved with four eyes: asked for by one, looked at and approved by another: %s',
    async (_name, look) => {
      const { caseId, paymentId } = await aCase();
      await visitor.open(look, false);
      const [first, second] = [`amina-${look.id}`, `brian-${look.id}`];
      const amina = await createPlatformPerson(portal, 'operator', first);
      const brian = await createPlatformPerson(portal, 'approver', second);
      const { secret } = await giveSecondFactor(portal.db, portal.box, amina, Date.now() - 120_000);
      await visitor.signInAs(await sessionOf(portal, amina, { passedSecond: true, isFresh: false }));
      const page = visitor.page();
      await visitor.at('/ops');
      await page
        .getByRole('navigation', { name: visitor.says('Pages of the platform') })
        .getByRole('link', { name: visitor.says('Cases') })
        .click();
      await page.getByRole('link', { name: caseId, exact: true }).click();
      await visitor.see('asked 100.00, told 90.00 KES');
      await visitor.link('Prove it, and change something').click();
      await visitor.label('Code').fill(codeOf(secret, Date.now()));
      await visitor.press('Go on');
      await visitor.label('It was paid: book what was really paid').check();
      await visitor.label('What was really paid, in KES (with “paid”)').fill('90.00');
      await visitor.label('What you found out, and where').fill('statement of the day, line 12');
      await visitor.press('Decide');
      await visitor.see('A second operator has to approve this');
      const stateOf = async () =>
        (await portal.db('payments').where({ payment_id: paymentId }).first('state'))?.state;
      expect(await stateOf()).toBe('pending');
      await visitor.link('Approvals').first().click();
      await visitor.see('You have asked for this: somebody else decides.');
      expect(await visitor.buttonFor('Approve, and do it').count()).toBe(0);
      expect(await portal.db('mails').where({ recipient: brian.email }).pluck('body')).toEqual([
        expect.stringContaining(`${first} asks to close case ${caseId} as paid`),
      ]);

      await visitor.leave();
      await visitor.open(phoneOf(look), false);
      await visitor.signInAs(await sessionOf(portal, brian));
      await visitor.at('/ops/approvals');
      await visitor.see('statement of the day, line 12');
      await visitor.page().getByText('90.00').first().waitFor();
      // What would be done is looked at first, and then done from there.
      await visitor.buttonFor('Preview').first().click();
      await visitor.see('What would change');
      await visitor.page().locator(`main a[href$="/payments/${paymentId}"]`).waitFor();
      expect(await stateOf()).toBe('pending');
      await visitor.press('Do it now');
      await visitor.see('What changed');
      await visitor.see('Done');
      expect(await stateOf()).toBe('succeeded');
      expect(await portal.db('payments').where({ payment_id: paymentId }).first()).toMatchObject({
        confirmed_minor: '9000',
      });
      const lines = await portal.db('audit_log').where({ action: 'case.resolve', acted_by: first });
      expect(lines).toMatchObject([{ details: expect.stringContaining(`"approved_by":"${second}"`) }]);
    },
  );

  it.each(journeys)(
    'money without an owner is claimed for its payment by one, and approved by another: %s',
    async (_name, look) => {
      const phone = `71234567${String(journeys.findIndex(([, { id }]) => id === look.id))}`;
      const asked = { merchantId, with: { phone_number: `254${phone}` } };
      const engine = testContext(portal.test.db);
      const paymentId = await deposit(engine, asked, 'initiating', 'pending', 'timed_out');
      const orphanId = await anOrphan(portal, { phone: `+254 ${phone}` });
      const orphan = () => portal.db('orphans').where({ orphan_id: orphanId }).first();
      await visitor.open(look, false);
      const [claimer, approver] = [`asha-${look.id}`, `baraka-${look.id}`];
      const asha = await createPlatformPerson(portal, 'operator', claimer);
      await visitor.signInAs(await sessionOf(portal, asha));
      const page = visitor.page();
      await visitor.at('/ops');
      await visitor.link('Reconciliation').click();
      await page.getByRole('link', { name: orphanId, exact: true }).click();
      await visitor.see(`••• ${phone.slice(-3)}`);
      expect(await visitor.label('Payment id').inputValue()).toBe(paymentId);
      await visitor.label('This payment’s, which is settled by it').check();
      await visitor.label('What you found out, and where').first().fill('the customer showed the slip');
      await visitor.press('Say whose it is');
      await visitor.see('A second operator has to approve this');
      expect((await orphan())?.state).toBe('open');

      await visitor.leave();
      await visitor.open(phoneOf(look), false);
      const baraka = await createPlatformPerson(portal, 'approver', approver);
      await visitor.signInAs(await sessionOf(portal, baraka));
      await visitor.at('/ops/approvals');
      await visitor.buttonFor('Approve, and do it').click();
      await visitor.see('Done');
      expect(await orphan()).toMatchObject({
        ...{ state: 'claimed', payment_id: paymentId, claimed_by: claimer, approved_by: approver },
      });
      expect(await portal.db('payments').where({ payment_id: paymentId }).first()).toMatchObject({
        state: 'succeeded',
      });
    },
  );
});
