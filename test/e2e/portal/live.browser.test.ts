/** A page that renews itself under who works with it by the keyboard: focus stays, what is open stays open, and it can be stopped. */
import { aMerchant, createPerson } from '../../support/users/people-support';
import { insertPayment } from '../../support/verify/books-support';
import { describeInBrowser, looks, useVisitor } from '../../support/portal/browser-support';
import { aWebhook, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

let portal: TestPortal;
let merchantId: string;
beforeAll(async () => {
  portal = await startPortal();
  merchantId = await aMerchant(portal.db, portal.box);
});
afterAll(() => portal.stop());

describeInBrowser('a payment that waits', () => {
  const visitor = useVisitor(() => portal.url);

  async function opened() {
    await visitor.open(looks['desktop, light, English']);
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
    /** What becomes of the next time that the page would ask. */
    const isHeldBack = () =>
      visitor.page().evaluate<boolean>(`new Promise((told) =>
        document.addEventListener('htmx:beforeRequest', (event) =>
          setTimeout(() => told(event.defaultPrevented)), { once: true }))`);
    return { id, owner, change, focused, isHeldBack };
  }

  it('is read by the keyboard while it changes', async () => {
    const { change, focused, isHeldBack } = await opened();
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
    // A text that is being marked is not taken away.
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('#payment h1'))`);
    expect(await isHeldBack()).toBe(true);
  });

  it('stands still when it is told to, and goes on when it is told to', async () => {
    const { change, isHeldBack } = await opened();
    const page = visitor.page();
    await page.getByRole('button', { name: 'Pause updates' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Update by itself again' }).waitFor();
    await change('CHANGED-2');
    expect([await isHeldBack(), await page.getByText('CHANGED-2').count()]).toEqual([true, 0]);
    await page.keyboard.press('Enter');
    await page.getByText('CHANGED-2').first().waitFor();
  });

  it('goes to the sign-in once the session is over, and does not go blank', async () => {
    const { owner, id } = await opened();
    await portal.test.db('user_sessions').where({ user_id: owner.userId }).delete();
    await visitor.page().waitForURL(/\/sign-in\?next=/);
    expect(decodeURIComponent(visitor.page().url())).toContain(`/payments/${id}`);
  });
});
