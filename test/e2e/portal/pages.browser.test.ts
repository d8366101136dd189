/** The pages in a real browser: an invitation, a second factor, a lost phone, and an open payment. */
import { mailWords } from '../../../src/portal/words/mails';
import { inTransaction } from '../../../src/store/transaction';
import { invite } from '../../../src/users/invite';
import { findSession } from '../../../src/users/sessions';
import { setLocale } from '../../../src/users/users';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import {
  describeInBrowser,
  journeys,
  checks,
  useVisitor,
  type PageView,
} from '../../support/portal/browser-support';
import { sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { aMerchant, codeOf, createPerson, password } from '../../support/users/users-support';
import { deposit, insertPayment, transitionTo, testContext } from '../../support/verify/books-support';

describeInBrowser('the portal', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
  });
  afterAll(() => portal.stop());

  const open = (check: PageView, withScript?: boolean) => visitor.open(check, withScript);
  const at = (path: string) => visitor.at(path);
  const press = (name: string) => visitor.press(name);
  const see = (text: string) => visitor.see(text);
  const signInAs = (token: string) => visitor.signInAs(token);
  const tokenOfPage = async () => {
    const kept = await visitor.context().cookies();
    return kept.find(({ name }) => name === 'malipo-session')?.value ?? '';
  };

  it.each(journeys)(
    'accepts an invited user, sets up a second factor, and accepts a recovery code, without scripts: %s',
    async (_name, check) => {
      await open(check, false);
      const email = `amina.${check.id}@duka.example`;
      const { token } = await inTransaction(portal.db, (trx) =>
        invite(
          trx,
          { email, locale: check.language, by: 'test', member: { merchantId, role: 'owner' } },
          () => undefined,
        ),
      );
      await at(`/invitation/${token}`);
      expect(visitor.page().url()).toBe(`${portal.url}/invitation`);
      await see(`You are invited to join Duka la Amina as ${email}.`);
      await visitor.label('New password').fill(password);
      await press('Accept');
      await see('Welcome! Sign in to continue.');
      await visitor.label('E-mail address').fill(email);
      await visitor.label('Password').fill('not this one');
      await press('Sign in');
      await see('The e-mail address or the password is wrong. Check both, or set a new password.');
      await visitor.label('Password').fill(password);
      await press('Sign in');
      await visitor.page().waitForURL(`${portal.url}/m/${merchantId}`);

      await visitor.link('Security').click();
      await visitor.link('Set up an app').click();
      const secret = (await visitor.page().locator('.key').innerText()).replaceAll(' ', '');
      await visitor.label('2. Enter the six digits').fill('000000');
      await press('Set up');
      await see(
        'This code is wrong, or was already used. Wait for the next code, and check the time on your phone.',
      );
      expect((await visitor.page().locator('.key').innerText()).replaceAll(' ', '')).toBe(secret);
      await visitor.label('2. Enter the six digits').fill(codeOf(secret, Date.now()));
      const planted = await tokenOfPage();
      await press('Set up');
      const codes = await visitor.page().locator('.codes code').allInnerTexts();
      expect(codes).toHaveLength(10);
      // A planted session token does not work after the session got more rights.
      expect(await findSession(portal.db, planted)).toBeUndefined();
      // The page has form tokens of the new session token.
      await visitor.page().locator(`button[name=language][value=${check.language}]`).click();
      await at('/security');
      await see('An authenticator app is set up. Your password alone is not enough to sign in.');

      await press('Sign out');
      await see('You are signed out.');
      await visitor.label('E-mail address').fill(email);
      await visitor.label('Password').fill(password);
      await press('Sign in');
      await see('Enter the code from your app');
      await at(`/m/${merchantId}/payments`);
      await see('Enter the code from your app');
      await visitor.label('Code').fill(codes[0] ?? '');
      await press('Continue');
      await see('No payments yet');
      await at('/security');
      await see('You have 9 recovery codes left. Each works once if you lose your phone.');
      const reported = await portal
        .db('mails')
        .where({ recipient: email })
        .orderBy('created_at')
        .pluck('body');
      const words = mailWords[check.language];
      const joined = words['change.what.member_joined'].split('{role}')[0]?.replace('{email}', email) ?? '?';
      expect(reported).toEqual([
        expect.stringContaining(joined),
        expect.stringContaining(words['notice.second_on']),
        expect.stringContaining(words['notice.recovery']),
      ]);
    },
  );

  it.each(journeys)('resets a forgotten password with a link that works once: %s', async (_name, check) => {
    await visitor.open(check, false);
    const email = `lost.${check.id}@duka.example`;
    const person = await createPerson(portal.db, email, { merchantId, role: 'viewer' });
    await setLocale(portal.db, person.userId, check.language);
    const elsewhere = await sessionOf(portal, person);
    await at('/sign-in');
    await visitor.link('I forgot my password').click();
    await visitor.label('E-mail address').fill(email);
    await press('Send me the link');
    await see('If an account has this address, a link is on its way.');
    // The mail is written after the page.
    const body = await waitFor(
      async () => (await portal.db('mails').where({ recipient: email }).first('body'))?.body,
      { what: 'the mail with the link', timeoutMs: 40_000 },
    );
    const link = /\/reset\/[\w-]+/.exec(body)?.[0] ?? '';
    await at(link);
    expect(visitor.page().url()).toBe(`${portal.url}/reset`);
    await visitor.label('New password').fill('aaaaaaaaaaaa');
    await press('Set the password');
    await see('Choose a stronger password');
    await visitor.label('New password').fill('mahindi na maharage 9');
    await press('Set the password');
    await see('Your new password is set. Sign in with it.');
    // Sessions with the old password have ended.
    expect(await findSession(portal.db, elsewhere)).toBeUndefined();
    await visitor.label('E-mail address').fill(email);
    await visitor.label('Password').fill(password);
    await press('Sign in');
    await see('The e-mail address or the password is wrong.');
    await visitor.label('Password').fill('mahindi na maharage 9');
    await press('Sign in');
    await visitor.page().waitForURL(`${portal.url}/m/${merchantId}`);
    expect(await visitor.at(link)).toBe(410);
    await see('This link no longer works');
  });

  it.each(journeys)(
    'explains an open payment, updates itself when it is paid, and does not extend the session by that: %s',
    async (_name, check) => {
      await open(check);
      const email = `live.${check.id}@duka.example`;
      const owner = await createPerson(portal.db, email, { merchantId, role: 'finance' });
      const reference = `INV-7-${check.id}`;
      const customer = { phone_number: '254708374149', account_reference: reference };
      await signInAs(await sessionOf(portal, owner));
      const engine = testContext(portal.test.db);
      const paymentId = await deposit(engine, { merchantId, with: customer }, 'initiating', 'pending');
      await at(`/m/${merchantId}/payments`);
      await visitor.label('Find a payment').fill(reference);
      await press('Show');
      await see('The customer was asked for KES 100.00. The customer or the provider has not answered yet.');
      await see(
        'You do not need to do anything: we query the provider until the payment is final, and notify you by webhook. Do not ask the customer to pay again yet.',
      );
      expect(await visitor.page().content()).not.toContain('254708374149');
      await transitionTo(engine, paymentId, 'succeeded');
      await see('The customer paid. The money was credited to the wallet.');
      await press('Show the number');
      await see('254708374149');
      const [line] = await portal
        .db('audit_log')
        .where({ action: 'payment.reveal_phone', subject_id: paymentId });
      expect(line).toMatchObject({ acted_by: `user:${owner.userId}`, subject_id: paymentId });
    },
  );

  it('shows a viewer no phone numbers', async () => {
    await open(checks['desktop, light, English']);
    const viewer = await createPerson(portal.db, 'viewer@duka.example', { merchantId, role: 'viewer' });
    await signInAs(await sessionOf(portal, viewer));
    const { payment_id: id } = await insertPayment(portal.db, { merchantId, rail: 'stk', with: customer2 });
    await at(`/m/${merchantId}/payments/${id}`);
    await see('••• 149');
    expect(await visitor.button('Show the number').count()).toBe(0);
    expect(await visitor.page().content()).not.toContain('254708374149');
  });

  it('works with the keyboard alone, with a visible focus', async () => {
    await open(checks['desktop, light, English'], false);
    const person = await createPerson(portal.db, 'keys@duka.example', { merchantId, role: 'viewer' });
    await insertPayment(portal.db, { merchantId, rail: 'stk', with: { order_id: 'BY-KEYS' } });
    const { keyboard } = visitor.page();
    const focused = (what: string) =>
      visitor
        .page()
        .evaluate<string>(`(${what})(document.activeElement, getComputedStyle(document.activeElement))`);
    /** Presses Tab until the named element has the focus; each stop must be visible. */
    const reach = async (name: string) => {
      for (let stops = 0; stops < 40; stops += 1) {
        await keyboard.press('Tab');
        const [text, outline] = (
          await focused(
            `(e, style) => [e.labels?.[0]?.textContent ?? e.textContent, style.outlineStyle].join('|')`,
          )
        ).split('|');
        expect([text?.trim(), outline]).toEqual([text?.trim(), 'solid']);
        if (text?.trim() === name) return;
      }
      throw new Error(`${name} was not reached`);
    };
    await at('/sign-in');
    await reach('E-mail address');
    await keyboard.type(person.email);
    await reach('Password');
    await keyboard.type(password);
    await keyboard.press('Enter');
    await visitor.page().waitForURL(`${portal.url}/m/${merchantId}`);
    const list = `${portal.url}/m/${merchantId}/payments`;
    await reach('Payments');
    await keyboard.press('Enter');
    await visitor.page().waitForURL(list);
    await reach('Find a payment');
    await keyboard.type('BY-KEYS');
    await keyboard.press('Enter');
    await see('We are requesting');
    await reach('All payments');
    await keyboard.press('Enter');
    await visitor.page().waitForURL(list);
    await reach('Sign out');
    await keyboard.press('Enter');
    await see('You are signed out.');
  });

  const customer2 = { phone_number: '254708374149', account_reference: 'INV-8' };
});
