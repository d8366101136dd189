/** A passkey in a real browser with a virtual device: added, used at the sign-in, and requested again. */
import { setLocale } from '../../../src/users/users';
import { translator } from '../../../src/portal/words';
import { aMerchant, createPerson, password } from '../../support/users/users-support';
import { describeInBrowser, checks, useVisitor } from '../../support/portal/browser-support';
import { startPortal, type TestPortal } from '../../support/portal/portal-support';

describeInBrowser('a passkey', () => {
  let portal: TestPortal;
  // Browsers allow no passkeys for an IP address.
  const visitor = useVisitor(() => portal.url.replace('127.0.0.1', 'localhost'));
  let merchantId: string;
  beforeAll(async () => {
    portal = await startPortal();
    merchantId = await aMerchant(portal.db, portal.box, 'Duka la Amina');
  });
  afterAll(() => portal.stop());

  it.each(Object.entries(checks))('is added, signs in, and is requested again: %s', async (name, check) => {
    const t = translator(check.language);
    await visitor.open(check);
    const page = visitor.page();
    const line = await visitor.context().newCDPSession(page);
    await line.send('WebAuthn.enable');
    const { authenticatorId } = await line.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    const email = `${name.replace(/\W+/g, '.')}@duka.example`;
    const person = await createPerson(portal.db, email, { merchantId, role: 'owner' });
    await setLocale(portal.db, person.userId, check.language);
    const signIn = async () => {
      await visitor.at('/sign-in');
      await page.getByLabel(t('sign_in.email')).fill(email);
      await page.getByLabel(t('sign_in.password')).fill(password);
      await visitor.press(t('sign_in.submit'));
    };
    await signIn();
    await page.waitForURL(/\/m\//);
    await visitor.inspect('/security/passkey', name);
    await page.getByLabel(t('passkey.name')).fill('my phone');
    await visitor.press(t('passkey.add'));
    await visitor.see(t('security.recovery.shown.title'));
    await page.getByRole('link', { name: t('security.recovery.kept') }).click();
    await visitor.see('my phone');
    await visitor.inspectHere('/security', `passkey-${name}`);

    await visitor.press(t('app.sign_out'));
    await signIn();
    await visitor.see(t('second.title.passkey'));
    await visitor.inspectHere('/second-factor', name);
    // A failed user verification shows an error, and the user can try again.
    await line.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await visitor.press(t('passkey.use'));
    await visitor.see(t('passkey.failed'));
    await line.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await visitor.press(t('passkey.use'));
    await page.waitForURL(/\/m\//);

    await portal.test
      .db('user_sessions')
      .where({ user_id: person.userId })
      .update({ verified_at: new Date(0) });
    await visitor.at(`/m/${merchantId}/developers`);
    await page.getByRole('link', { name: t('dev.prove.go') }).click();
    await visitor.inspectHere('/confirm', `passkey-${name}`);
    await visitor.press(t('passkey.use'));
    await page.getByRole('button', { name: t('dev.key.create') }).waitFor();
  });

  it('is replaced by a code without scripts', async () => {
    await visitor.open(checks['desktop, light, English'], false);
    const person = await createPerson(portal.db, 'plain@duka.example', { merchantId, role: 'viewer' });
    await portal.db('users').where({ user_id: person.userId }).update({ passkeys: 1 });
    await visitor.at('/sign-in');
    await visitor.page().getByLabel('E-mail address').fill(person.email);
    await visitor.page().getByLabel('Password').fill(password);
    await visitor.press('Sign in');
    await visitor.page().getByLabel('Code').waitFor();
    expect(await visitor.page().getByRole('button', { name: 'Use your passkey' }).isVisible()).toBe(false);
  });
});
