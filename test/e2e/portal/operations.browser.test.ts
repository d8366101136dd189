/** Operators in a real browser: one decides a case, and another approves it. */
import { openCase } from '../../../src/controls/cases';
import { aMerchant, codeOf, giveSecondFactor } from '../../support/users/users-support';
import { deposit, testContext } from '../../support/verify/books-support';
import { describeInBrowser, journeys, phoneOf, useVisitor } from '../../support/portal/browser-support';
import {
  anUnmatchedReceipt,
  createPlatformPerson,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';

describeInBrowser('the platform pages', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
    // As in live, money needs a second operator.
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
    'a case is resolved by two operators: requested by one, approved by another: %s',
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
        .getByRole('navigation', { name: visitor.says('Platform pages') })
        .getByRole('link', { name: visitor.says('Cases') })
        .click();
      await page.getByRole('link', { name: caseId, exact: true }).click();
      await visitor.see('asked 100.00, told 90.00 KES');
      await visitor.link('Confirm and edit').click();
      await visitor.label('Code').fill(codeOf(secret, Date.now()));
      await visitor.press('Continue');
      await visitor.label('Mark paid and book the amount paid').check();
      await visitor.label('Amount paid, in KES (only for “Mark paid”)').fill('90.00');
      await visitor.label('What you found, and where').fill('statement of the day, line 12');
      await visitor.press('Decide');
      await visitor.see('A second operator must approve this');
      const stateOf = async () =>
        (await portal.db('payments').where({ payment_id: paymentId }).first('state'))?.state;
      expect(await stateOf()).toBe('pending');
      await visitor.link('Approvals').first().click();
      await visitor.see('This is your request: another operator decides.');
      expect(await visitor.buttonFor('Approve and carry out').count()).toBe(0);
      expect(await portal.db('mails').where({ recipient: brian.email }).pluck('body')).toEqual([
        expect.stringContaining(`${first} requests to close case ${caseId} as paid`),
      ]);

      await visitor.leave();
      await visitor.open(phoneOf(look), false);
      await visitor.signInAs(await sessionOf(portal, brian));
      await visitor.at('/ops/approvals');
      await visitor.see('statement of the day, line 12');
      await visitor.page().getByText('90.00').first().waitFor();
      // The approver previews the action first, and carries it out from there.
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
    'an unmatched receipt is assigned to its payment by one operator, and approved by another: %s',
    async (_name, look) => {
      const phone = `71234567${String(journeys.findIndex(([, { id }]) => id === look.id))}`;
      const asked = { merchantId, with: { phone_number: `254${phone}` } };
      const engine = testContext(portal.test.db);
      const paymentId = await deposit(engine, asked, 'initiating', 'pending', 'timed_out');
      const unmatchedId = await anUnmatchedReceipt(portal, { phone: `+254 ${phone}` });
      const unmatched = () => portal.db('unmatched_receipts').where({ receipt_id: unmatchedId }).first();
      await visitor.open(look, false);
      const [claimer, approver] = [`asha-${look.id}`, `baraka-${look.id}`];
      const asha = await createPlatformPerson(portal, 'operator', claimer);
      await visitor.signInAs(await sessionOf(portal, asha));
      const page = visitor.page();
      await visitor.at('/ops');
      await visitor.link('Reconciliation').click();
      await page.getByRole('link', { name: unmatchedId, exact: true }).click();
      await visitor.see(`••• ${phone.slice(-3)}`);
      expect(await visitor.label('Payment id').inputValue()).toBe(paymentId);
      await visitor.label('This payment: mark it paid').check();
      await visitor.label('What you found, and where').first().fill('the customer showed the slip');
      await visitor.press('Assign');
      await visitor.see('A second operator must approve this');
      expect((await unmatched())?.state).toBe('open');

      await visitor.leave();
      await visitor.open(phoneOf(look), false);
      const baraka = await createPlatformPerson(portal, 'approver', approver);
      await visitor.signInAs(await sessionOf(portal, baraka));
      await visitor.at('/ops/approvals');
      await visitor.buttonFor('Approve and carry out').click();
      await visitor.see('Done');
      expect(await unmatched()).toMatchObject({
        ...{ state: 'assigned', payment_id: paymentId, assigned_by: claimer, approved_by: approver },
      });
      expect(await portal.db('payments').where({ payment_id: paymentId }).first()).toMatchObject({
        state: 'succeeded',
      });
    },
  );
});
