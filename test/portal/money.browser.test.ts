/** Money before a real browser, with the product behind it: given back, called off, and told once more. */
import { readConfig } from '../../src/config';
import { createProcessContext, type ProcessContext } from '../../src/ops/process-context';
import { waitFor } from '../../src/ops/services/wait-for';
import { setLocale } from '../../src/people/users';
import type { MerchantRole } from '../../src/people/roles';
import { createActs } from '../../src/portal/acts';
import { codeOf, createPerson, giveSecondFactor } from '../people/people-support';
import {
  accepted,
  floatOf,
  fund,
  paidDeposit,
  setNetwork,
  transferBody,
  walletOf,
} from '../rails/momo/payment-story';
import { simulatorControl } from '../rails/simulator-control';
import { expectClean } from '../support/expect-clean';
import { atRest, ended } from '../support/payment-story';
import { silentLog } from '../support/silent-log';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { browserPatienceMs, describeInBrowser, looks, useVisitor } from './browser-support';
import { call, payoutList, sessionOf, startPortal, type TestPortal } from './portal-support';

jest.setTimeout(browserPatienceMs);

describeInBrowser('what is done with a payment', () => {
  let stack: Stack;
  let engine: ProcessContext;
  let portal: TestPortal;
  const visitor = useVisitor(() => portal.url);
  let merchant: TestMerchant;
  let base: string;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant('Duka la Amina');
    base = `/m/${merchant.merchantId}`;
    await setNetwork(simulatorControl(stack.simulatorUrl, 'momo'), 'AIRTEL_OAPI_ZMB', 'PAYOUT', 'DELAYED');
    engine = createProcessContext(readConfig(stack.env), silentLog, { env: stack.env });
    portal = await startPortal({
      of: {
        test: { url: stack.env['DATABASE_URL'] ?? '', db: stack.db },
        box: engine.box,
        acts: createActs(engine),
      },
    });
  });
  afterAll(async () => {
    await portal.stop();
    await engine.close();
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
  });

  const aPerson = (name: string, role: MerchantRole, merchantId = merchant.merchantId) =>
    createPerson(portal.db, `${name}@duka.example`, { merchantId, role });
  const linesOf = (userId: string) =>
    portal
      .db('audit_log')
      .where({ acted_by: `user:${userId}` })
      .whereIn('action', ['payment.refund', 'payment.cancel'])
      .orderBy('seq');

  it('a refund: the second factor again, the amount, and the customer has it back', async () => {
    const deposit = await paidDeposit(stack, merchant);
    await visitor.open(looks['desktop, light, English']);
    const bookkeeper = await aPerson('books', 'finance');
    const { secret } = await giveSecondFactor(portal.db, portal.box, bookkeeper, Date.now() - 120_000);
    await visitor.signInAs(await sessionOf(portal, bookkeeper, { passedSecond: true, isFresh: false }));
    const page = visitor.page();
    await visitor.at(`${base}/payments/${deposit}`);
    await page.getByRole('link', { name: 'Give money back' }).click();
    await page.getByLabel('Code').fill(codeOf(secret, Date.now()));
    await visitor.press('Go on');
    await visitor.see('The customer paid ZMW 25.50; ZMW 25.50 of it can still be given back.');
    await page.getByLabel('How much, in ZMW').fill('30');
    await visitor.press('Give it back');
    await visitor.see('That is more than is left to give back.');
    const left = (await page.locator('input[name=left]').getAttribute('value')) ?? '';
    await page.getByLabel('How much, in ZMW').fill('10.00');
    await visitor.press('Give it back');
    await visitor.see('The refund is asked for.');
    // The page goes on by itself.
    await visitor.see('The customer has ZMW 10.00 back.');
    const [refund, ...more] = await stack.db('payments').where({ parent_id: deposit });
    expect([refund?.requested_minor, more]).toEqual(['1000', []]);

    // The same form once more, as by the back button: nothing.
    const token = await sessionOf(portal, bookkeeper, { passedSecond: true });
    const form = { amount: '10.00', left };
    const again = await call(portal, {
      method: 'POST',
      path: `${base}/payments/${deposit}/refund`,
      token,
      form,
    });
    expect([again.status, again.text.includes('Something was given back since')]).toEqual([422, true]);
    expect(await stack.db('payments').where({ parent_id: deposit })).toHaveLength(1);
    expect(await linesOf(bookkeeper.userId)).toMatchObject([
      {
        action: 'payment.refund',
        subject_id: deposit,
        details: expect.stringContaining(refund?.payment_id ?? '-'),
      },
    ]);
    expect(await walletOf(stack, merchant)).toMatchObject({ free: 1_550n });
  });

  it('is refused to a suspended merchant, and to who may not', async () => {
    const other = await stack.createMerchant('Suspended');
    const deposit = await paidDeposit(stack, other);
    const member = { merchantId: other.merchantId, role: 'owner' } as const;
    const token = await sessionOf(portal, await createPerson(portal.db, 'owner@suspended.example', member));
    await stack.db('merchants').where({ merchant_id: other.merchantId }).update({ status: 'suspended' });
    const path = `/m/${other.merchantId}/payments/${deposit}/refund`;
    const refused = await call(portal, {
      method: 'POST',
      path,
      token,
      form: { amount: '1.00', left: '2550' },
    });
    expect([refused.status, refused.text.includes('This merchant is suspended')]).toEqual([422, true]);
    expect(await stack.db('payments').where({ parent_id: deposit })).toEqual([]);
    const developer = await sessionOf(portal, await aPerson('dev', 'developer'));
    const own = await call(portal, {
      method: 'GET',
      path: `${base}/payments/${deposit}/refund`,
      token: developer,
    });
    expect(own.status).toBe(403);
  });

  it('a queued payout: called off, and the float whole again', async () => {
    await fund(stack, merchant, 10_000n);
    const payout = await accepted(stack, merchant, 'payout', transferBody({ phone_number: '+260773010001' }));
    await ended(stack.db, payout, ['queued']);
    await visitor.open(looks['phone, dark, English'], false);
    const owner = await aPerson('owner', 'owner');
    await visitor.signInAs(await sessionOf(portal, owner));
    await visitor.at(`${base}/payments/${payout}`);
    await visitor.page().getByRole('link', { name: 'Call the payout off' }).click();
    await visitor.press('Call it off');
    await visitor.see('The payout is called off.');
    expect(await floatOf(stack, merchant)).toEqual({ free: 10_000n, reserved: 0n });
    expect(await linesOf(owner.userId)).toMatchObject([{ action: 'payment.cancel', subject_id: payout }]);
    await visitor.at(`${base}/payments/${payout}/cancel`);
    await visitor.see('This payout cannot be called off any more.');
  });

  it('a webhook: told once more, from the payment', async () => {
    const deposit = await paidDeposit(stack, merchant);
    await atRest(stack.db, deposit);
    const told = () =>
      merchant.receiver.received.filter(({ body }) => JSON.stringify(body).includes(deposit));
    const before = told().length;
    await visitor.open(looks['desktop, light, English'], false);
    await visitor.signInAs(await sessionOf(portal, await aPerson('sender', 'developer')));
    await visitor.at(`${base}/payments/${deposit}`);
    await visitor
      .page()
      .getByRole('button', { name: /^Send again/ })
      .first()
      .click();
    await visitor.see('It is sent again now.');
    await waitFor(() => Promise.resolve(told().length > before || undefined), {
      what: 'the webhook to arrive once more',
      timeoutMs: 40_000,
    });
    await atRest(stack.db, deposit);
  });

  describe('a list of payouts', () => {
    const send = async (name: string, ...lines: string[]) => {
      const page = visitor.page();
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('The file').setInputFiles(payoutList(...lines));
      await page.getByRole('region', { name: 'Pay many' }).locator('button').click();
    };
    const payoutsOf = (shop: TestMerchant) => stack.db('payments').where({ merchant_id: shop.merchantId });
    const placeOfPage = () => new URL(visitor.page().url()).pathname;

    it('is checked, approved by somebody else, sent once, and followed row by row', async () => {
      const shop = await stack.createMerchant('Payroll');
      await fund(stack, shop, 10_000n);
      const maker = await aPerson('maker', 'finance', shop.merchantId);
      const other = await aPerson('other', 'owner', shop.merchantId);
      const makers = await sessionOf(portal, maker);
      await visitor.open(looks['desktop, light, English'], false);
      await visitor.signInAs(makers);
      await visitor.at(`/m/${shop.merchantId}/payouts`);
      await visitor.page().getByRole('link', { name: 'Make payouts' }).click();
      await send('Salaries', '260763000789,40.00,ZMW,JAN-1', '12345,9.5,ZMW,=1+1');
      await visitor.see('A spreadsheet would take this for a formula.');
      await send(
        'Salaries',
        '260763000789,40.00,ZMW,JAN-1',
        '12345,0.001,KES,JAN-2',
        '+260763000789,40,ZMW,JAN-1',
      );
      await visitor.see('The same payout stands in the list before.');
      expect(new Set(await visitor.page().locator('tbody th').allInnerTexts())).toEqual(new Set(['3', '4']));
      await send('Salaries', '260763000789,40.00,ZMW,JAN-1', '+260763000089,9.5,ZMW,JAN-2');
      await visitor.see('Nothing has gone out. Look at every line before you go on.');
      await visitor.see('ZMW 49.50');
      await visitor.press('Ask for approval');
      await visitor.see('It waits for approval now.');
      const path = placeOfPage();
      const approve = (token: string) => call(portal, { method: 'POST', path: `${path}/approve`, token });
      const own = await approve(makers);
      expect([own.status, own.text.includes('Whoever has put payouts together')]).toEqual([422, true]);
      expect(await payoutsOf(shop)).toEqual([]);

      await visitor.leave();
      await visitor.open(looks['phone, dark, English']);
      const others = await sessionOf(portal, other);
      await visitor.signInAs(others);
      await visitor.at(`/m/${shop.merchantId}`);
      await visitor.page().getByRole('link', { name: 'Payouts wait for you' }).click();
      await visitor.page().getByRole('link', { name: 'Salaries' }).click();
      await visitor.see('+260763000089');
      await visitor.press('Pay out 2: ZMW 49.50');
      await visitor.see('Confirmed: the payouts are taken on.');
      await visitor.page().getByRole('cell', { name: 'succeeded' }).waitFor();
      await visitor.page().getByRole('cell', { name: 'failed' }).waitFor();
      expect(await floatOf(stack, shop)).toEqual({ free: 6_000n, reserved: 0n });
      expect((await approve(others)).to).toBe(path);
      expect(await payoutsOf(shop)).toHaveLength(2);
      const told = await portal.db('audit_log').where('action', 'like', 'payouts.%').orderBy('seq');
      expect(told.map(({ action, acted_by: by }) => [action, by])).toEqual([
        ['payouts.make', `user:${maker.userId}`],
        ['payouts.ask', `user:${maker.userId}`],
        ['payouts.approve', `user:${other.userId}`],
      ]);
      expect(JSON.stringify(told)).not.toContain('260763');
    });

    it('goes out once however often it is confirmed, whole or not at all, and not at all once rejected', async () => {
      const shop = await stack.createMerchant('One cashier');
      await fund(stack, shop, 5_000n);
      const token = await sessionOf(portal, await aPerson('alone', 'owner', shop.merchantId));
      const at = `/m/${shop.merchantId}/payouts`;
      const form = { float: 'momo ZMW ZMB', recipient: '+260 763 000789', message: '' };
      const make = async (amount: string, reference: string) =>
        (
          await call(portal, {
            method: 'POST',
            path: `${at}/one`,
            token,
            form: { ...form, amount, reference },
          })
        ).to;
      const post = (path: string, as = token, more = {}) =>
        call(portal, { method: 'POST', path, token: as, form: more });
      const path = await make('10.00', 'ONCE');
      const answers = await Promise.all([1, 2, 3].map(() => post(`${path}/approve`)));
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
      const [only, ...more] = await payoutsOf(shop);
      expect([only?.account_reference, more]).toEqual(['ONCE', []]);
      const tooMuch = await make('60.00', 'TOO-MUCH');
      const second = await sessionOf(portal, await aPerson('second', 'finance', shop.merchantId));
      const short = await post(`${tooMuch}/ask`);
      expect([short.status, short.text.includes('Your float does not hold that much.')]).toEqual([422, true]);
      const waiting = await make('5.00', 'LATER');
      expect((await post(`${waiting}/approve`)).text).toContain('Whoever has put payouts together');
      await post(`${waiting}/ask`);
      await post(`${waiting}/reject`, second, { reason: 'not him <b>' });
      const late = await post(`${waiting}/approve`, second);
      expect(late.to).toBe(waiting);
      const page = await call(portal, { method: 'GET', path: waiting, token });
      expect([page.text.includes('not him &lt;b&gt;'), page.text.includes('<b>')]).toEqual([true, false]);
      expect(await payoutsOf(shop)).toHaveLength(1);
      const wrong = { ...form, float: 'momo KES KEN', amount: '1', reference: 'x' };
      const refused = await call(portal, { method: 'POST', path: `${at}/one`, token, form: wrong });
      expect([refused.status, refused.text.includes('no whole phone number')]).toEqual([422, true]);
      await ended(stack.db, only?.payment_id ?? '', ['succeeded']);
    });
  });

  it.each(Object.entries(looks))('can be used by everybody: %s', async (name, look) => {
    const deposit = await paidDeposit(stack, merchant);
    await visitor.open(look);
    const owner = await aPerson(name.replace(/\W+/g, '.'), 'owner');
    await setLocale(portal.db, owner.userId, look.language);
    const token = await sessionOf(portal, owner);
    await visitor.signInAs(token);
    const form = {
      float: 'momo ZMW ZMB',
      recipient: '+260763000789',
      amount: '9.00',
      reference: name,
      message: 'x',
    };
    const made = await call(portal, { method: 'POST', path: `${base}/payouts/one`, token, form });
    for (const path of [`${base}/payouts`, `${base}/payouts/new`, made.to]) await visitor.inspect(path, name);
    await visitor.inspect(`${base}/payments/${deposit}`, `paid-${name}`);
    await visitor.inspect(`${base}/payments/${deposit}/refund`, name);
    await visitor.inspect(`${base}/payments/${deposit}/cancel`, name);
  });
});
