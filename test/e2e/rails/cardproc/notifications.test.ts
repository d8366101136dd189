import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import type { InboxRow, PaymentRow } from '../../../../src/store/tables';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf, ended } from '../../../support/payments/timeline';
import { sharedStack } from '../../../support/shared-stack';
import type { Stack, TestMerchant } from '../../../support/stack';
import { connectEngine, type TestEngine } from '../../../support/workflows/temporal-client';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { registerByHand } from './operator-calls';
import {
  accepted,
  customer,
  listenPath,
  referenceOf,
  notifiedOf,
} from '../../../support/rails/cardproc/payments';

describe('/listen_cardproc.php', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let engine: TestEngine;
  let idByGet: string;
  beforeAll(async () => {
    stack = await sharedStack({ timeScale: 1 });
    merchant = await stack.createMerchant();
    // Before our first order, so that it is listed when our address is looked up.
    idByGet = await registerByHand(stack, `${stack.apiUrl}${listenPath}`, 'GET');
    provider = simulatorControl(stack.simulatorUrl, 'cardproc');
    engine = await connectEngine(stack);
  });
  afterAll(async () => {
    await engine.close();
    await expectClean(stack);
    await stack.stop();
  });

  /** A payment without notifications of the processor: only the test's requests trigger queries. */
  const unreported = () => accepted(stack, merchant, { amount: 100.06 });
  const send = (query: string, body?: string, type = 'application/json') =>
    fetch(`${stack.apiUrl}${listenPath}${query}`, {
      method: 'POST',
      ...(body === undefined ? {} : { body, headers: { 'Content-Type': type } }),
    });
  const inboxOf = ({ payment_id }: PaymentRow): Promise<InboxRow[]> =>
    stack.db('inbox').where({ payment_id }).orderBy('inbox_id');
  const questionsAbout = async ({ provider_reference: id }: PaymentRow) =>
    (await provider.exchanges('query')).filter(({ url }) => url.includes(String(id))).length;
  const stateOf = async ({ payment_id }: PaymentRow) => (await getPaymentOrThrow(stack.db, payment_id)).state;

  it('gets notifications by POST, although the same address was registered with GET before', async () => {
    const order = await accepted(stack, merchant);
    const submitted = (await provider.exchanges('initiate')).find(
      ({ body }) => body['id'] === order.details.submitted_as,
    );
    expect(submitted?.body['notification_id']).not.toBe(idByGet);
    await customer(provider, order, 'pay_card');
    await ended(stack.db, order.payment_id, ['succeeded']);
    const reference = String(order.provider_reference);
    const answers = await waitFor(
      async () => {
        const reported = (await provider.exchanges('callback')).filter(({ url, body }) =>
          `${url} ${JSON.stringify(body)}`.includes(reference),
        );
        return reported.some(({ answer }) => answer)
          ? reported.map(({ answer }) => answer?.status)
          : undefined;
      },
      { what: 'a notification and our answer', timeoutMs: 20_000 },
    );
    expect(answers).toEqual([200]);
  });

  describe('200', () => {
    const asObject = (order: PaymentRow) => Object.fromEntries(referenceOf(order));
    const lowered = (order: PaymentRow) =>
      Object.fromEntries([...referenceOf(order)].map(([name, value]) => [name.toLowerCase(), value]));
    const form = 'application/x-www-form-urlencoded';

    it.each<[string, (order: PaymentRow) => Promise<Response>]>([
      ['in the query', (order) => send(`?${referenceOf(order).toString()}`)],
      ['by GET', (order) => fetch(`${stack.apiUrl}${listenPath}?${referenceOf(order).toString()}`)],
      ['as JSON', (order) => send('', JSON.stringify(asObject(order)))],
      ['as JSON after a byte order mark', (order) => send('', `\uFEFF${JSON.stringify(asObject(order))}`)],
      ['as a form', (order) => send('', referenceOf(order).toString(), form)],
      [
        'in small letters in the query',
        (order) => send(`?${new URLSearchParams(lowered(order)).toString()}`),
      ],
      ['in small letters as JSON', (order) => send('', JSON.stringify(lowered(order)))],
      [
        'in the query, beside a body that is nothing',
        (order) => send(`?${referenceOf(order).toString()}`, '<x>'),
      ],
    ])('%s: it is echoed, and the payment is confirmed and credited', async (_how, notify) => {
      const order = await unreported();
      await customer(provider, order, 'pay_mobile');
      const response = await notify(order);
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          orderNotificationType: 'IPNCHANGE',
          orderTrackingId: order.provider_reference,
          orderMerchantReference: order.details.submitted_as,
          status: 200,
        },
      ]);
      await ended(stack.db, order.payment_id, ['succeeded']);
      expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_006n]);
    });

    it('ten at once are one credit and one webhook', async () => {
      const order = await unreported();
      await customer(provider, order, 'pay_card');
      const query = `?${referenceOf(order).toString()}`;
      const responses = await Promise.all(Array.from({ length: 10 }, () => send(query)));
      expect(responses.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
      await ended(stack.db, order.payment_id, ['succeeded']);
      await atRest(stack.db, order.payment_id);
      expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_006n]);
      expect(await notifiedOf(stack.db, order.payment_id)).toEqual(['COMPLETED']);
      // One is unread at a time, and after the one with an effect, three trigger queries.
      expect((await inboxOf(order)).length).toBeLessThanOrEqual(7);
    });

    it('is stored as an unverified event, without its other content', async () => {
      const order = await unreported();
      await send(`?${referenceOf(order).toString()}&status=COMPLETED&amount=1`);
      const [unverified] = await inboxOf(order);
      expect(JSON.parse(unverified?.body ?? '')).toEqual(asObject(order));
    });
  });

  describe('200, and nothing changes', () => {
    it('a forged notification of a known order: the processor says that it is not paid', async () => {
      const order = await unreported();
      const forged = `?${referenceOf(order).toString()}&status_code=1&payment_status_description=COMPLETED`;
      expect((await send(forged)).status).toBe(200);
      await waitFor(async () => (await questionsAbout(order)) > 0 || undefined, {
        what: 'the processor to be asked',
        timeoutMs: 20_000,
      });
      expect(await stateOf(order)).toBe('pending');
      expect(await creditsOf(stack.db, order.payment_id)).toEqual([]);
    });

    it.each<[string, Record<string, string>]>([
      ['an order that does not exist', { OrderTrackingId: '00000000-0000-4000-8000-000000000000' }],
      ['an order under another reference', { OrderMerchantReference: 'cp-SOMEBODYELSE-1' }],
      ["an order under the merchant's reference", { OrderMerchantReference: 'MINE' }],
      ['no text that could be one', { OrderTrackingId: 'ñ'.repeat(30) }],
    ])('%s: it is echoed all the same, and not stored', async (_which, changes) => {
      const order = await accepted(stack, merchant, { amount: 100.06, order_id: 'MINE' });
      const before = (await stack.db('inbox').count({ n: '*' }))[0];
      const reference = referenceOf(order, changes);
      const response = await send(`?${reference.toString()}`);
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          orderNotificationType: 'IPNCHANGE',
          orderTrackingId: reference.get('OrderTrackingId'),
          orderMerchantReference: reference.get('OrderMerchantReference'),
          status: 200,
        },
      ]);
      expect((await stack.db('inbox').count({ n: '*' }))[0]).toEqual(before);
      expect(await questionsAbout(order)).toBe(0);
    });

    it('an empty type, which is returned unchanged', async () => {
      const response = await send('?OrderNotificationType=');
      expect([response.status, await response.json()]).toEqual([
        200,
        { orderNotificationType: '', orderTrackingId: '', orderMerchantReference: '', status: 500 },
      ]);
    });

    // 500: the processor sends it again.
    it.each(['', '[]', '7', 'null', '{"OrderTrackingId":{"a":1}}', '{'])('the body %j', async (body) => {
      const response = await send('', body);
      expect([response.status, await response.json()]).toEqual([
        200,
        { orderNotificationType: 'IPNCHANGE', orderTrackingId: '', orderMerchantReference: '', status: 500 },
      ]);
    });
  });

  it('wakes an order that expired after 24 hours, and corrects it', async () => {
    const order = await unreported();
    await engine.advance(order, 86_400_000);
    await ended(stack.db, order.payment_id, ['timed_out']);
    await customer(provider, order, 'pay_late');
    await send(`?${referenceOf(order).toString()}`);
    await ended(stack.db, order.payment_id, ['succeeded']);
    await atRest(stack.db, order.payment_id);
    expect(await notifiedOf(stack.db, order.payment_id)).toEqual(['INVALID', 'COMPLETED correction']);
    expect(await creditsOf(stack.db, order.payment_id)).toEqual([10_006n]);
  });
});
