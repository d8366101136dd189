/** The pages in a real browser: an invitation, a second factor, a lost phone, and what waits and why. */
import { mailWords } from '../../../src/portal/words/mails';
import { inTransaction } from '../../../src/store/transaction';
import { invite } from '../../../src/users/invite';
import { findSession } from '../../../src/users/sessions';
import { setLocale } from '../../../src/users/users';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import {
  describeInBrowser,
  journeys,
  looks,
  useVisitor,
  type Look,
} from '../../support/portal/browser-support';
import { sessionOf, startPortal, type TestPortal } from '../../support/portal/portal-support';
import { aMerchant, codeOf, createPerson, password } from '../../support/users/people-support';
import { deposit, insertPayment, moveAlong, testContext } from '../../support/verify/books-support';

describeInBrowser('the portal', () => {
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchantId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
  });
  afterAll(() => portal.stop());

  const open = (look: Look, withScript?: boolean) => visitor.open(look, withScript);
  const at = (path: string) => visitor.at(path);
  const press = (name: string) => visitor.press(name);
  const see = (text: string) => visitor.see(text);
  const signInAs = (token: string) => visitor.signInAs(token);
  const tokenOfPage = async () => {
    const kept = await visitor.context().cookies();
    return kept.find(({ name }) => name === 'malipo-session')?.value ?? '';
  };

  it.each(journeys)(
    'takes in who was invited, sets up a second factor, and lets her in when the phone is lost, without script: %s',
    async (_name, look) => {
      await open(look, false);
      const email = `amina.${look.id}@duka.example`;
      const { token } = await inTransaction(portal.db, (trx) =>
        invite(
          trx,
          { email, locale: look.language, by: 'test', member: { merchantId, role: 'owner' } },
          () => undefined,
        ),
      );
      await at(`/invitation/${token}`);
      expect(visitor.page().url()).toBe(`${portal.url}/invitation`);
      await see(`You are invited to work for Duka la Amina here, as ${email}.`);
      await visitor.label('New password').fill(password);
      await press('Accept');
      await see('Welcome! Sign in to go on.');
      await visitor.label('E-mail address').fill(email);
      await visitor.label('Password').fill('not this one');
      await press('Sign in');
      await see('The e-mail address or the password is not right. Check both, or set a new password.');
      await visitor.label('Password').fill(password);
      await press('Sign in');
      await visitor.page().waitForURL(`${portal.url}/m/${merchantId}`);

      await visitor.link('Security').click();
      await visitor.link('Set up an app').click();
      const secret = (await visitor.page().locator('.key').innerText()).replaceAll(' ', '');
      await visitor.label('2. Enter the six digits').fill('000000');
      await press('Set up');
      await see(
        'This code is not right, or was used before. Wait for the next one, and check the clock of your phone.',
      );
      expect((await visitor.page().locator('.key').innerText()).replaceAll(' ', '')).toBe(secret);
      await visitor.label('2. Enter the six digits').fill(codeOf(secret, Date.now()));
      const planted = await tokenOfPage();
      await press('Set up');
      const codes = await visitor.page().locator('.codes code').allInnerTexts();
      expect(codes).toHaveLength(10);
      // Whoever had planted the session before is not in the one that may do more.
      expect(await findSession(portal.db, planted)).toBeUndefined();
      // What the page of the new one proves its forms by is the new one's.
      await visitor.page().locator(`button[name=language][value=${look.language}]`).click();
      await at('/security');
      await see('An authenticator app is set up. Who knows your password alone does not get in.');

      await press('Sign out');
      await see('You are signed out.');
      await visitor.label('E-mail address').fill(email);
      await visitor.label('Password').fill(password);
      await press('Sign in');
      await see('Enter the code of your app');
      await at(`/m/${merchantId}/payments`);
      await see('Enter the code of your app');
      await visitor.label('Code').fill(codes[0] ?? '');
      await press('Go on');
      await see('No payments yet');
      await at('/security');
      await see('You have 9 recovery codes left. Each lets you in once when your phone is lost.');
      const told = await portal.db('mails').where({ recipient: email }).orderBy('created_at').pluck('body');
      const words = mailWords[look.language];
      const joined = words['change.what.member_joined'].split('{role}')[0]?.replace('{email}', email) ?? '?';
      expect(told).toEqual([
        expect.stringContaining(joined),
        expect.stringContaining(words['notice.second_on']),
        expect.stringContaining(words['notice.recovery']),
      ]);
    },
  );

  it.each(journeys)(
    'gives who has lost the password a new one, by a link that works once: %s',
    async (_name, look) => {
      await visitor.open(look, false);
      const email = `lost.${look.id}@duka.example`;
      const person = await createPerson(portal.db, email, { merchantId, role: 'viewer' });
      await setLocale(portal.db, person.userId, look.language);
      const elsewhere = await sessionOf(portal, person);
      await at('/sign-in');
      await visitor.link('I have lost my password').click();
      await visitor.label('E-mail address').fill(email);
      await press('Mail me the link');
      await see('If there is an account with this address, a link is on its way.');
      // It is written when the page is out.
      const body = await waitFor(
        async () => (await portal.db('mails').where({ recipient: email }).first('body'))?.body,
        { what: 'the mail with the link', timeoutMs: 40_000 },
      );
      const link = /\/reset\/[\w-]+/.exec(body)?.[0] ?? '';
      await at(link);
      expect(visitor.page().url()).toBe(`${portal.url}/reset`);
      await visitor.label('New password').fill('aaaaaaaaaaaa');
      await press('Set the password');
      await see('Choose a longer or less plain password');
      await visitor.label('New password').fill('mahindi na maharage 9');
      await press('Set the password');
      await see('Your new password is set. Sign in with it.');
      // Whoever was in by the old one is out.
      expect(await findSession(portal.db, elsewhere)).toBeUndefined();
      await visitor.label('E-mail address').fill(email);
      await visitor.label('Password').fill(password);
      await press('Sign in');
      await see('The e-mail address or the password is not right.');
      await visitor.label('Password').fill('mahindi na maharage 9');
      await press('Sign in');
      await visitor.page().waitForURL(`${portal.url}/m/${merchantId}`);
      expect(await visitor.at(link)).toBe(410);
      await see('This link does not work any more');
    },
  );

  it.each(journeys)(
    'says why a payment waits, goes on by itself when it is paid, and keeps nobody signed in by that: %s',
    async (_name, look) => {
      await open(look);
      const email = `live.${look.id}@duka.example`;
      const owner = await createPerson(portal.db, email, { merchantId, role: 'finance' });
      const reference = `INV-7-${look.id}`;
      const customer = { phone_number: '254708374149', account_reference: reference };
      await signInAs(await sessionOf(portal, owner));
      const engine = testContext(portal.test.db);
      const paymentId = await deposit(engine, { merchantId, with: customer }, 'initiating', 'pending');
      await at(`/m/${merchantId}/payments`);
      await visitor.label('Find a payment').fill(reference);
      await press('Show');
      await see(
        'The customer was asked for KES 100.00 and has not decided yet, or the provider has not told us.',
      );
      await see(
        'You need do nothing: we ask the provider until it is decided, and tell you by webhook. Do not ask the customer to pay again yet.',
      );
      expect(await visitor.page().content()).not.toContain('254708374149');
      await moveAlong(engine, paymentId, 'succeeded');
      await see('The customer paid, and the money is booked.');
      await press('Show the number');
      await see('254708374149');
      const [line] = await portal
        .db('audit_log')
        .where({ action: 'payment.reveal_phone', subject_id: paymentId });
      expect(line).toMatchObject({ acted_by: `user:${owner.userId}`, subject_id: paymentId });
    },
  );

  it('shows a viewer nobody’s number, nor what has it', async () => {
    await open(looks['desktop, light, English']);
    const viewer = await createPerson(portal.db, 'viewer@duka.example', { merchantId, role: 'viewer' });
    await signInAs(await sessionOf(portal, viewer));
    const { payment_id: id } = await insertPayment(portal.db, { merchantId, rail: 'stk', with: customer2 });
    await at(`/m/${merchantId}/payments/${id}`);
    await see('••• 149');
    expect(await visitor.button('Show the number').count()).toBe(0);
    expect(await visitor.page().content()).not.toContain('254708374149');
  });

  it('is worked by the keyboard alone, and shows where it is', async () => {
    await open(looks['desktop, light, English'], false);
    const person = await createPerson(portal.db, 'keys@duka.example', { merchantId, role: 'viewer' });
    await insertPayment(portal.db, { merchantId, rail: 'stk', with: { order_id: 'BY-KEYS' } });
    const { keyboard } = visitor.page();
    const focused = (what: string) =>
      visitor
        .page()
        .evaluate<string>(`(${what})(document.activeElement, getComputedStyle(document.activeElement))`);
    /** Tab by tab, each stop seen, until what is named has the focus. */
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
    await see('is being asked for.');
    await reach('All payments');
    await keyboard.press('Enter');
    await visitor.page().waitForURL(list);
    await reach('Sign out');
    await keyboard.press('Enter');
    await see('You are signed out.');
  });

  const customer2 = { phone_number: '254708374149', account_reference: 'INV-8' };
});
