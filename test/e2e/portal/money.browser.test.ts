/** Payment actions in a real browser against the running product: refund, cancel, send a webhook again. */
import { readConfig } from '../../../src/config';
import { createActs } from '../../../src/portal/acts';
import { createProcessContext, type ProcessContext } from '../../../src/process/process-context';
import type { MerchantRole } from '../../../src/users/roles';
import { setLocale } from '../../../src/users/users';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../support/expect-clean';
import { asOurs } from '../../support/own-rows';
import { atRest, ended } from '../../support/payments/timeline';
import {
  describeInBrowser,
  costlyJourneys,
  checks,
  phoneOf,
  useVisitor,
} from '../../support/portal/browser-support';
import {
  call,
  payoutList,
  sessionOf,
  startPortal,
  type TestPortal,
} from '../../support/portal/portal-support';
import {
  accepted,
  floatOf,
  fund,
  paidDeposit,
  setNetwork,
  transferBody,
  walletOf,
} from '../../support/rails/momo/payments';
import { simulatorControl } from '../../support/rails/simulator-control';
import { silentLog } from '../../support/silent-log';
import { startStack, type Stack, type TestMerchant } from '../../support/stack';
import { codeOf, createPerson, giveSecondFactor } from '../../support/users/users-support';

describeInBrowser('payment actions', () => {
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

  it.each(costlyJourneys)(
    'a refund: second factor, amount, and the customer receives it: %s',
    async (_name, check) => {
      const shop = await stack.createMerchant('Refunds');
      const deposit = await paidDeposit(stack, shop);
      const base = `/m/${shop.merchantId}`;
      await visitor.open(check);
      const bookkeeper = await aPerson(`books.${check.id}`, 'finance', shop.merchantId);
      const { secret } = await giveSecondFactor(portal.db, portal.box, bookkeeper, Date.now() - 120_000);
      await visitor.signInAs(await sessionOf(portal, bookkeeper, { passedSecond: true, isFresh: false }));
      const page = visitor.page();
      await visitor.at(`${base}/payments/${deposit}`);
      await visitor.link('Refund').click();
      await visitor.label('Code').fill(codeOf(secret, Date.now()));
      await visitor.press('Continue');
      await visitor.see('The customer paid ZMW 25.50. You can still refund ZMW 25.50.');
      await visitor.label('Amount in ZMW').fill('30');
      await visitor.press('Send refund');
      await visitor.see('This is more than the amount left to refund.');
      const left = (await page.locator('input[name=left]').getAttribute('value')) ?? '';
      await visitor.label('Amount in ZMW').fill('10.00');
      await visitor.press('Send refund');
      await visitor.see('The refund was created.');
      // The page updates itself.
      await visitor.see('The customer received the refund of ZMW 10.00.');
      const [refund, ...more] = await stack.db('payments').where({ parent_id: deposit });
      expect([refund?.requested_minor, more]).toEqual(['1000', []]);

      // The same form again, as after the back button, does nothing.
      const token = await sessionOf(portal, bookkeeper, { passedSecond: true });
      const form = { amount: '10.00', left };
      const again = await call(portal, {
        method: 'POST',
        path: `${base}/payments/${deposit}/refund`,
        token,
        form,
      });
      expect([again.status, again.text.includes('Another refund was made after this page loaded.')]).toEqual([
        422,
        true,
      ]);
      expect(await stack.db('payments').where({ parent_id: deposit })).toHaveLength(1);
      expect(await linesOf(bookkeeper.userId)).toMatchObject([
        {
          action: 'payment.refund',
          subject_id: deposit,
          details: expect.stringContaining(refund?.payment_id ?? '-'),
        },
      ]);
      expect(await walletOf(stack, shop)).toMatchObject({ free: 1_550n });
    },
  );

  it('a refund is denied to a suspended merchant and to other roles', async () => {
    const other = await stack.createMerchant('Suspended');
    const deposit = await paidDeposit(stack, other);
    const member = { merchantId: other.merchantId, role: 'owner' } as const;
    const token = await sessionOf(portal, await createPerson(portal.db, 'owner@suspended.example', member));
    await stack.db('merchants').where({ merchant_id: other.merchantId }).update({ status: 'suspended' });
    await asOurs(stack.db, 'merchants', other.merchantId);
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

  it('a queued payout: cancelled, and the float is available again', async () => {
    await fund(stack, merchant, 10_000n);
    const payout = await accepted(stack, merchant, 'payout', transferBody({ phone_number: '+260773010001' }));
    await ended(stack.db, payout, ['queued']);
    await visitor.open(checks['phone, dark, English'], false);
    const owner = await aPerson('owner', 'owner');
    await visitor.signInAs(await sessionOf(portal, owner));
    await visitor.at(`${base}/payments/${payout}`);
    await visitor.link('Cancel payout').click();
    await visitor.press('Cancel payout');
    await visitor.see('The payout was cancelled.');
    expect(await floatOf(stack, merchant)).toEqual({ free: 10_000n, reserved: 0n });
    expect(await linesOf(owner.userId)).toMatchObject([{ action: 'payment.cancel', subject_id: payout }]);
    await visitor.at(`${base}/payments/${payout}/cancel`);
    await visitor.see('This payout can no longer be cancelled.');
  });

  it.each(costlyJourneys)('a webhook: sent again from the payment page: %s', async (_name, check) => {
    const deposit = await paidDeposit(stack, merchant);
    await atRest(stack.db, deposit);
    const reported = () =>
      merchant.receiver.received.filter(({ body }) => JSON.stringify(body).includes(deposit));
    const before = reported().length;
    await visitor.open(check, false);
    const sender = await aPerson(`sender.${check.id}`, 'developer');
    await visitor.signInAs(await sessionOf(portal, sender));
    await visitor.at(`${base}/payments/${deposit}`);
    await visitor.buttonFor('Send again').first().click();
    await visitor.see('The webhook is being sent again.');
    await waitFor(() => Promise.resolve(reported().length > before || undefined), {
      what: 'the webhook to arrive again',
      timeoutMs: 40_000,
    });
    await atRest(stack.db, deposit);
  });

  describe('a payout list', () => {
    const send = async (name: string, ...lines: string[]) => {
      const page = visitor.page();
      await visitor.label('Name').fill(name);
      await visitor.label('File').setInputFiles(payoutList(...lines));
      await page
        .getByRole('region', { name: visitor.says('Pay many with a file') })
        .locator('button')
        .click();
    };
    const payoutsOf = (shop: TestMerchant) => stack.db('payments').where({ merchant_id: shop.merchantId });
    const placeOfPage = () => new URL(visitor.page().url()).pathname;

    it.each(costlyJourneys)(
      'is checked, approved by another user, sent once, and shows each payout: %s',
      async (_name, check) => {
        const shop = await stack.createMerchant('Payroll');
        await fund(stack, shop, 10_000n);
        const maker = await aPerson(`maker.${check.id}`, 'finance', shop.merchantId);
        const other = await aPerson(`other.${check.id}`, 'owner', shop.merchantId);
        const makers = await sessionOf(portal, maker);
        await visitor.open(check, false);
        await visitor.signInAs(makers);
        await visitor.at(`/m/${shop.merchantId}/payouts`);
        await visitor.link('Create payouts').click();
        await send('Salaries', '260763000789,40.00,ZMW,JAN-1', '12345,9.5,ZMW,=1+1');
        await visitor.see('A spreadsheet would read this as a formula.');
        await send(
          'Salaries',
          '260763000789,40.00,ZMW,JAN-1',
          '12345,0.001,KES,JAN-2',
          '+260763000789,40,ZMW,JAN-1',
        );
        await visitor.see('The same payout is earlier in the list.');
        expect(new Set(await visitor.page().locator('tbody th').allInnerTexts())).toEqual(
          new Set(['3', '4']),
        );
        await send('Salaries', '260763000789,40.00,ZMW,JAN-1', '+260763000089,9.5,ZMW,JAN-2');
        await visitor.see('Nothing was sent. Check every line before you continue.');
        await visitor.see('ZMW 49.50');
        await visitor.press('Ask for approval');
        await visitor.see('The payouts are waiting for approval.');
        const path = placeOfPage();
        const approve = (token: string) => call(portal, { method: 'POST', path: `${path}/approve`, token });
        const own = await approve(makers);
        expect([own.status, own.text.includes('You cannot approve payouts that you created.')]).toEqual([
          422,
          true,
        ]);
        expect(await payoutsOf(shop)).toEqual([]);
        expect(await portal.db('mails').where({ recipient: other.email }).pluck('body')).toEqual([
          expect.stringContaining(path),
        ]);

        await visitor.leave();
        await visitor.open(phoneOf(check));
        const others = await sessionOf(portal, other);
        await visitor.signInAs(others);
        await visitor.at(`/m/${shop.merchantId}`);
        await visitor.link('Payouts waiting for your approval: 1').click();
        await visitor.link('Salaries').click();
        await visitor.see('+260763000089');
        await visitor.press('Pay out 2: ZMW 49.50');
        await visitor.see('Confirmed: the payouts were created.');
        await visitor.page().locator('td .state.good').waitFor();
        await visitor.page().locator('td .state.bad').waitFor();
        expect(await floatOf(stack, shop)).toEqual({ free: 6_000n, reserved: 0n });
        expect((await approve(others)).to).toBe(path);
        expect(await payoutsOf(shop)).toHaveLength(2);
        const reported = await portal
          .db('audit_log')
          .where({ subject_id: shop.merchantId })
          .where('action', 'like', 'payouts.%')
          .orderBy('seq');
        expect(reported.map(({ action, acted_by: by }) => [action, by])).toEqual([
          ['payouts.make', `user:${maker.userId}`],
          ['payouts.ask', `user:${maker.userId}`],
          ['payouts.approve', `user:${other.userId}`],
        ]);
        expect(JSON.stringify(reported)).not.toContain('260763');
      },
    );
  });

  it.each(Object.entries(checks))('the pages are accessible: %s', async (name, check) => {
    const deposit = await paidDeposit(stack, merchant);
    await fund(stack, merchant, 10_000n);
    await visitor.open(check);
    const owner = await aPerson(name.replace(/\W+/g, '.'), 'owner');
    await setLocale(portal.db, owner.userId, check.language);
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
    await visitor.at(`${base}/payouts/new`);
    const many = visitor.page().locator('form[action$="/payouts/file"]');
    await many.locator('[name=name]').fill('Salaries');
    await many.locator('[name=file]').setInputFiles(payoutList('12345,9.5,ZMW,=1+1', '260763000789,x,ZMW,2'));
    await many.locator('button').click();
    await visitor.see('A spreadsheet would read this as a formula.');
    await visitor.inspectHere('payout_faults', name);
    await visitor.inspect(`${base}/payments/${deposit}`, `paid-${name}`);
    await visitor.inspect(`${base}/payments/${deposit}/refund`, name);
    await visitor.inspect(`${base}/payments/${deposit}/cancel`, name);
  });
});
