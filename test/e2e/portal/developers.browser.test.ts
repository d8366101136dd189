/** Developers in a real browser: a key is rotated, and a failed webhook is sent again. */
import { aMerchant, codeOf, createPerson, giveSecondFactor } from '../../support/users/users-support';
import { insertPayment } from '../../support/verify/books-support';
import { describeInBrowser, journeys, useVisitor } from '../../support/portal/browser-support';
import { aWebhook, sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';

describeInBrowser('the developers’ pages', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  let webhookId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
    const { payment_id: paymentId } = await insertPayment(portal.db, { merchantId, rail: 'stk' });
    webhookId = await aWebhook(portal.db, { merchantId, paymentId });
    await portal
      .db('outbox')
      .where({ webhook_id: webhookId })
      .update({ state: 'dead', tries: 9, settled_at: new Date() });
    await portal.db('webhook_deliveries').insert({
      webhook_id: webhookId,
      n: 1,
      url: 'https://shop.example.com/hook',
      http_status: 503,
      duration_ms: 85,
      error: 'HTTP 503',
      response_excerpt: 'Service Unavailable',
      at: new Date(),
    });
  });
  afterAll(() => portal.stop());

  it.each(journeys)(
    'rotate a key: second factor first, secret shown once, old key revoked: %s',
    async (_name, check) => {
      await visitor.open(check, false);
      const merchantId = await aMerchant(portal.db, portal.box, 'Rotating');
      const email = `dev.${check.id}@duka.example`;
      const developer = await createPerson(portal.db, email, { merchantId, role: 'developer' });
      const { secret } = await giveSecondFactor(portal.db, portal.box, developer, Date.now() - 120_000);
      await visitor.signInAs(await sessionOf(portal, developer, { passedSecond: true, isFresh: false }));
      const page = visitor.page();
      await visitor.at(`/m/${merchantId}/developers`);
      expect(await visitor.button('Create the key').count()).toBe(0);
      await visitor.link('Confirm and edit').click();
      await visitor.label('Code').fill(codeOf(secret, Date.now()));
      await visitor.press('Continue');
      await visitor.label('Name of a new key').fill('shop server, January');
      await visitor.press('Create the key');
      await visitor.see('This is shown only once.');
      const [key = '', apiSecret = ''] = await page.locator('code.key').allInnerTexts();
      expect([key, apiSecret]).toEqual([
        expect.stringMatching(/^pk_test_/),
        expect.stringMatching(/^sk_test_/),
      ]);
      await visitor.link('I have saved it').click();
      await visitor.see('shop server, January');
      expect(await page.content()).not.toContain(apiSecret);
      await page.locator('li', { hasNotText: 'January' }).locator('button.danger').click();
      await visitor.see('The key was revoked.');
      expect(
        await portal.db('api_keys').where({ merchant_id: merchantId, revoked_at: null }).pluck('api_key'),
      ).toEqual([key]);
    },
  );

  it.each(journeys)('send a failed webhook again: %s', async (_name, check) => {
    await visitor.open(check, false);
    const email = `owner.${check.id}@duka.example`;
    const owner = await createPerson(portal.db, email, { merchantId, role: 'owner' });
    await visitor.signInAs(await sessionOf(portal, owner));
    const page = visitor.page();
    await visitor.at(`/m/${merchantId}/developers`);
    await visitor.link('Webhook log').click();
    await visitor.label('State').selectOption('dead');
    await visitor.press('Show');
    await page.locator('tbody a').first().click();
    await visitor.see('Your server answered 503');
    await visitor.press('Send again');
    await visitor.see('The webhook is being sent again.');
    expect(await portal.db('outbox').where({ webhook_id: webhookId }).first()).toMatchObject({
      state: 'pending',
    });
    await portal
      .db('outbox')
      .where({ webhook_id: webhookId })
      .update({ state: 'dead', settled_at: new Date() });
  });
});
