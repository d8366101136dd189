/**
 * Automatic updates while a user works with the keyboard: the focus and opened details stay, and updates can be paused.
 */
import { aMerchant, createPerson } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { describeInBrowser, checks, useVisitor } from '../../support/portal/browser-support';
import { aWebhook, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
});
afterAll(() => portal.stop());

describeInBrowser('the page of an open payment', () => {
  const visitor = useVisitor(() => portal.url);

  async function opened() {
    await visitor.open(checks['desktop, light, English']);
    const email = `owner-${String(Math.random()).slice(2)}@duka.example`;
    const owner = await createPerson(portal.db, email, { merchantId, role: 'owner' });
    const token = await sessionOf(portal, owner);
    await visitor.signInAs(token);
    const { payment_id: id } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
    await aWebhook(portal.db, { merchantId, paymentId: id });
    await visitor.at(`/m/${merchantId}/payments/${id}`);
    const change = (reference: string) =>
      portal.test.db('payments').where({ payment_id: id }).update({ account_reference: reference });
    const focused = () => visitor.page().evaluate<string>('document.activeElement.textContent');
    /** The handling of the page's next update request. */
    const isOnHold = () =>
      visitor.page().evaluate<boolean>(`new Promise((told) =>
        document.addEventListener('htmx:beforeRequest', (event) =>
          setTimeout(() => told(event.defaultPrevented)), { once: true }))`);
    return { id, owner, change, focused, isOnHold };
  }

  it('keeps the keyboard focus during updates', async () => {
    const { change, focused, isOnHold } = await opened();
    const page = visitor.page();
    const body = page.locator('#payment details summary').first();
    for (let n = 0; n < 60 && (await focused()) !== (await body.textContent()); n += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#payment details[open]').waitFor();
    await change('CHANGED-1');
    await page.getByText('CHANGED-1').first().waitFor();
    expect([await focused(), await page.locator('#payment details[open]').count()]).toEqual([
      await body.textContent(),
      1,
    ]);
    // Selected text does not disappear.
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#payment h1'))`);
    expect(await isOnHold()).toBe(true);
  });

  it('can pause and resume its updates', async () => {
    const { change, isOnHold } = await opened();
    const page = visitor.page();
    await page.getByRole('button', { name: 'Pause updates' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume updates' }).waitFor();
    await change('CHANGED-2');
    expect([await isOnHold(), await page.getByText('CHANGED-2').count()]).toEqual([true, 0]);
    await page.keyboard.press('Enter');
    await page.getByText('CHANGED-2').first().waitFor();
  });

  it('goes to the sign-in after the session, and does not become blank', async () => {
    const { owner, id } = await opened();
    await portal.test.db('user_sessions').where({ user_id: owner.userId }).delete();
    await visitor.page().waitForURL(/\/sign-in\?next=/);
    expect(decodeURIComponent(visitor.page().url())).toContain(`/payments/${id}`);
  });
});
