import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { getPaymentOrThrow } from '../../../../src/payments/read/payments';
import { expectClean } from '../../../support/expect-clean';
import type { ApiAnswer } from '../../../support/merchant-client';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import { ended, openCasesOf } from '../../../support/payments/timeline';
import {
  callbacksOf,
  idOf,
  submissionsOf,
  places,
  post,
  setNetwork,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';

/** The answer to a deposit when the provider or its network has a problem. */
describe('POST /api/v1/momo/deposit', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    // Before the list of networks is first read: it is cached for minutes.
    await setNetwork(provider, 'ZAMTEL_ZMB', 'DEPOSIT', 'CLOSED');
    await setNetwork(provider, 'AIRTEL_OAPI_ZMB', 'DEPOSIT', 'DELAYED');
  });
  afterAll(async () => {
    await expectClean(stack);
    await stack.stop();
  });

  const send = (phone_number: string, key?: string, changes: Record<string, unknown> = {}) =>
    post(
      stack,
      merchant,
      'deposit',
      transferBody({ phone_number, account_reference: phone_number, ...changes }),
      key === undefined ? {} : { 'Idempotency-Key': key },
    );
  const spoil = (phone: string, behave: string, times = 1, call = 'initiate') =>
    provider.next({ call, behave, times, where: { phone_number: phone.slice(1) } });
  const reported = ({ status, body }: ApiAnswer) => [status, body.code];
  const sentTo = async (phone: string) =>
    (await provider.exchanges('initiate')).filter(({ body }) => JSON.stringify(body).includes(phone.slice(1)))
      .length;
  const paymentsOf = async (phone: string) =>
    (await stack.db('payments').where({ phone_number: phone })).length;

  describe('200, although the provider had an error', () => {
    it.each([
      ['it acts and answers 500', '+260763010001', 'act_then_500', 1],
      ['it acts and closes the connection', '+260763010002', 'act_then_drop', 1],
      ['it closes the connection unread: it is sent again under the same id', '+260763010003', 'drop', 2],
      ['it answers 500 and has not acted: it is sent again', '+260763010004', '500', 2],
      ['it answers with a page of HTML: it is sent again', '+260763010005', 'html', 2],
      ['it answers 503: it is sent again', '+260763010006', '503', 2],
      ['it takes one request too many for the moment: it is sent again', '+260763010007', '429', 2],
    ])('%s', async (_what, phone, behave, requests) => {
      await spoil(phone, behave);
      const answer = await send(phone);
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      await notifiedOf(merchant, idOf(answer), 'Success');
      const sent = await submissionsOf(provider, idOf(answer));
      expect(sent).toHaveLength(requests);
      expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(callbacksOf(merchant, idOf(answer))).toHaveLength(1);
    });

    it('it closes the connection unread: the preauth_code is sent again, and stored nowhere', async () => {
      const phone = '+22605010007';
      await spoil(phone, 'drop');
      const answer = await send(phone, undefined, {
        ...places.burkina,
        phone_number: phone,
        preauth_code: 'canary-code-512',
      });
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      const sent = await submissionsOf(provider, idOf(answer));
      expect(sent.map(({ body }) => body['preAuthorisationCode'])).toEqual([
        'canary-code-512',
        'canary-code-512',
      ]);
      expect(JSON.stringify(await getPaymentOrThrow(stack.db, idOf(answer)))).not.toContain('canary');
    });

    it('the result is unknown: accepted and open, and queried until it is known', async () => {
      const phone = '+260763010010';
      await spoil(phone, 'act_then_drop');
      await spoil(phone, '500', 1, 'status');
      const answer = await send(phone);
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      await notifiedOf(merchant, idOf(answer), 'Success');
      expect(await sentTo(phone)).toBe(1);
    });

    it('the first request arrives after it counted as lost: DUPLICATE_IGNORED, and one payment', async () => {
      const phone = '+260763010012';
      await spoil(phone, 'drop');
      // The answer NOT_FOUND is correct when it is given, and the request arrives before it.
      await provider.next({ call: 'status', behave: 'delay', ms: 1_500 });
      const answering = send(phone);
      const asked = async () => (await provider.exchanges('status')).find(({ fault }) => fault === 'delay');
      await waitFor(asked, { what: 'the look-up', timeoutMs: 20_000, everyMs: 20 });
      const [lost] = (await provider.exchanges('initiate')).filter(({ body }) =>
        JSON.stringify(body).includes(phone.slice(1)),
      );
      const late = await fetch(`${stack.env['MOMO_BASE_URL'] ?? ''}/v2/deposits`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${stack.env['MOMO_TOKEN'] ?? ''}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify(lost?.body),
      });
      const answer = await answering;
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      const statuses = (await submissionsOf(provider, idOf(answer))).map(
        ({ answer: reported }) => (reported as { body?: { status?: string } }).body?.status,
      );
      // On a slow machine either may come first, and the other one is dropped.
      expect([late.status, statuses.toSorted()]).toEqual([200, ['ACCEPTED', 'DUPLICATE_IGNORED', undefined]]);
      await notifiedOf(merchant, idOf(answer), 'Success');
      expect(callbacksOf(merchant, idOf(answer))).toHaveLength(1);
    });

    it('it never received it, and the time to send it again is over: failed as NOT_RECEIVED', async () => {
      const phone = '+260763010011';
      await spoil(phone, 'drop');
      // The lookup cannot be selected by its payer: the provider never had the payment.
      await provider.next({ call: 'status', behave: '503' });
      const answer = await send(phone);
      expect([answer.status, answer.body.status]).toEqual([200, 'ACCEPTED']);
      const id = idOf(answer);
      const { accepted_at: acceptedAt } = await getPaymentOrThrow(stack.db, id);
      // A quarter of an hour passes, in sandbox time.
      await stack
        .db('payments')
        .where({ payment_id: id })
        .update({ accepted_at: new Date((acceptedAt ?? new Date()).getTime() - 15 * 60_000) });
      const callback = await notifiedOf(merchant, id, 'Failed');
      expect(callback.body).toMatchObject({ failure_code: 'NOT_RECEIVED', amount: '0.00' });
      expect(await sentTo(phone)).toBe(1);
    });
  });

  describe('502', () => {
    it('when the provider rejects our own account: the merchant gets no details, an operator does', async () => {
      await spoil('+260763020001', 'expired_token');
      const answer = await send('+260763020001');
      expect(reported(answer)).toEqual([502, 'PROVIDER_ACCOUNT_REFUSED']);
      expect(answer.body.error).toBe('The provider rejected our account; operators have been notified');
      expect(JSON.stringify(answer.body)).not.toMatch(/token|AUTHENTICATION/i);
      expect(await openCasesOf(stack.db, idOf(answer))).toEqual(['account_refused']);
      const callback = await notifiedOf(merchant, idOf(answer), 'Failed');
      expect(callback.body).toMatchObject({ failure_code: 'PROVIDER_ACCOUNT_REFUSED' });
      expect(JSON.stringify(callback.body)).not.toMatch(/token|AUTHENTICATION/i);
    });
  });

  describe('503, with the time to wait', () => {
    it('after three attempts at a provider that accepts no more requests', async () => {
      await spoil('+260763030001', '429', 3);
      const answer = await send('+260763030001');
      expect(reported(answer)).toEqual([503, 'PROVIDER_UNAVAILABLE']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await sentTo('+260763030001')).toBe(3);
      expect(await ended(stack.db, idOf(answer))).toMatchObject({ state: 'failed' });
    });

    it.each([
      ['CLOSED', 'ZAMTEL_ZMB', '+260753000001'],
      ['DELAYED', 'AIRTEL_OAPI_ZMB', '+260773000001'],
    ])('while the network is %s, and not longer', async (_status, network, phone) => {
      const refused = await send(phone);
      expect(reported(refused)).toEqual([503, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect([await sentTo(phone), await paymentsOf(phone)]).toEqual([0, 0]);
      await setNetwork(provider, network, 'DEPOSIT', 'OPERATIONAL');
      // Long before the list would be read again.
      await waitFor(async () => (await send(phone)).status === 200, {
        what: `${network} to be taken again`,
        timeoutMs: 10_000,
        everyMs: 200,
      });
    });

    it('when the network closed after the last read: the provider says so, and nothing was started', async () => {
      // The list of networks has just been read, and is cached for minutes.
      await send('+260763030003');
      await setNetwork(provider, 'MTN_MOMO_ZMB', 'DEPOSIT', 'CLOSED');
      const answer = await send('+260763030004');
      await setNetwork(provider, 'MTN_MOMO_ZMB', 'DEPOSIT', 'OPERATIONAL');
      expect(reported(answer)).toEqual([503, 'PROVIDER_TEMPORARILY_UNAVAILABLE']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    });
  });

  describe('with an Idempotency-Key', () => {
    it('200: repeats the first answer and says so, without a second prompt', async () => {
      const [first, again] = [await send('+260763040001', 'key-1'), await send('+260763040001', 'key-1')];
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect([await sentTo('+260763040001'), await paymentsOf('+260763040001')]).toEqual([1, 1]);
    });

    it('422: rejects the key with another body, without a prompt', async () => {
      await send('+260763040002', 'key-2');
      const answer = await send('+260763040002', 'key-2', { amount: '26.00' });
      expect(reported(answer)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect(await sentTo('+260763040002')).toBe(1);
    });

    it('20 at once create one payment: the others get its answer, or must wait', async () => {
      const phone = '+260763040003';
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(phone, 'key-3')));
      const taken = answers.filter(({ status }) => status === 200);
      expect(new Set(taken.map(idOf)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expect(reported(answer)).toEqual([409, 'REQUEST_IN_PROGRESS']);
      }
      expect([await sentTo(phone), await paymentsOf(phone)]).toEqual([1, 1]);
    });

    it('belongs to its merchant, and to its endpoint', async () => {
      const other = await stack.createMerchant();
      const body = transferBody({ phone_number: '+260763040004' });
      const headers = { 'Idempotency-Key': 'key-4' };
      const [mine, theirs] = [
        await post(stack, merchant, 'deposit', body, headers),
        await post(stack, other, 'deposit', body, headers),
      ];
      expect([mine.status, theirs.status]).toEqual([200, 200]);
      expect(idOf(theirs)).not.toBe(idOf(mine));
      expect(reported(await post(stack, merchant, 'payout', body, headers))).toEqual([
        422,
        'IDEMPOTENCY_KEY_REUSED',
      ]);
    });

    it('repeats an error of the provider, too', async () => {
      const wrongCode = { ...places.burkina, preauth_code: '000000' };
      const phone = wrongCode.phone_number;
      const [first, again] = [await send(phone, 'key-5', wrongCode), await send(phone, 'key-5', wrongCode)];
      expect([first.status, again.status]).toEqual([400, 400]);
      // Each error has its own time.
      const times = { timestamp_utc: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string };
      expect(again.body).toEqual({ ...first.body, ...times });
      expect(await sentTo(phone)).toBe(1);
    });

    it('is free again after an error that says nothing was started', async () => {
      await spoil('+260763040005', 'expired_token');
      const [first, again] = [await send('+260763040005', 'key-7'), await send('+260763040005', 'key-7')];
      expect([first.status, again.status]).toEqual([502, 200]);
      expect(idOf(again)).not.toBe(idOf(first));
    });

    it('is free again after a body with faults', async () => {
      expect((await send('+260763040006', 'key-6', { account_reference: '' })).status).toBe(400);
      expect((await send('+260763040006', 'key-6')).status).toBe(200);
    });
  });
});
