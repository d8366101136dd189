/**
 * The provider's callbacks are proof because they are signed (RFC 9421): authentic ones are accepted, all others
 * rejected.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../../../tools/sandbox/services/wait-for';
import { expectClean } from '../../../support/expect-clean';
import { atRest, creditsOf } from '../../../support/payments/timeline';
import { startStack, type Stack, type TestMerchant } from '../../../support/stack';
import { simulatorControl, type SimulatorControl } from '../../../support/rails/simulator-control';
import {
  byKey,
  digestOf,
  genuineWays,
  newEcKey,
  pemOf,
  signed,
  startKeyList,
  type Changes,
  type KeyList,
  type Sent,
} from '../../../support/rails/momo/callback-signing';
import { forgeries } from '../../../support/rails/momo/forgeries';
import {
  accepted,
  callbacksOf,
  notificationsOf,
  shownAs,
  notifiedOf,
  transferBody,
} from '../../../support/rails/momo/payments';

describe('a callback', () => {
  let stack: Stack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  let keyList: KeyList;
  beforeAll(async () => {
    keyList = await startKeyList();
    stack = await startStack({ envOf: { api: { MOMO_BASE_URL: keyList.url } } });
    keyList.providerUrl = stack.providerUrls.momo;
    provider = simulatorControl(stack.simulatorUrl, 'momo');
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    // Without the simulator's books: it does not know the callbacks that the test signed.
    await expectClean({ db: stack.db, env: stack.env });
    await stack.stop();
    await keyList.close();
  });

  const genuine = (body: string, changes: Changes = {}) => signed(body, new URL(stack.apiUrl).host, changes);
  async function send({ body, headers }: Sent): Promise<[number, unknown]> {
    const response = await fetch(`${stack.apiUrl}/in/momo`, { method: 'POST', body, headers });
    return [response.status, await response.json()];
  }
  const taken = [200, { success: true }];
  const refusedAs = (code: string) => expect.objectContaining({ success: false, code }) as unknown;
  const refused = [401, refusedAs('INVALID_SIGNATURE')];
  const deposit = (lastDigits: string) =>
    accepted(stack, merchant, 'deposit', transferBody({ phone_number: `+260763000${lastDigits}` }));
  /** A deposit without notifications of the simulator, so that all callbacks are the test's. */
  const pending = () => deposit('129');
  const completed = (depositId: string) => {
    const payer = { type: 'MMO', accountDetails: { phoneNumber: '260763000129', provider: 'MTN_MOMO_ZMB' } };
    const money = { amount: '25.5', currency: 'ZMW', country: 'ZMB', payer };
    return JSON.stringify({ depositId, status: 'COMPLETED', ...money, providerTransactionId: '4711' });
  };
  const stored = async (text: string): Promise<string[]> => {
    const rows = await stack.db('inbox').where('body', 'like', `%${text}%`).select('body');
    return rows.map(({ body }) => body);
  };
  const credits = (id: string) => creditsOf(stack.db, id);

  describe('that is authentic', () => {
    it.each(genuineWays)('is accepted: %s', async (_what, changes) => {
      const id = await pending();
      expect(await send(genuine(completed(id), changes))).toEqual(taken);
      await notifiedOf(merchant, id, 'Success');
      expect([await stored(id), await credits(id)]).toEqual([[completed(id)], [2550n]]);
    });

    it('may have a SHA-256 digest', async () => {
      const body = completed(await pending());
      const values = { 'content-digest': digestOf(body, 'sha256') };
      expect(await send(genuine(body, { values }))).toEqual(taken);
    });

    it('is accepted ten times at once and twice later, and credited once', async () => {
      const id = await pending();
      const once = genuine(completed(id));
      const ten = [...Array.from({ length: 5 }, () => genuine(completed(id))), ...Array<Sent>(5).fill(once)];
      expect(await Promise.all(ten.map(send))).toEqual(ten.map(() => taken));
      await notifiedOf(merchant, id, 'Success');
      expect([await send(once), await send(genuine(completed(id)))]).toEqual([taken, taken]);
      await atRest(stack.db, id);
      expect([await stored(id), await credits(id)]).toEqual([[completed(id)], [2550n]]);
      expect(callbacksOf(merchant, id)).toHaveLength(1);
    });

    it('but about a statement, is acknowledged without an effect', async () => {
      const body = JSON.stringify({ statementId: randomUUID(), status: 'COMPLETED' });
      expect(await send(genuine(body))).toEqual(taken);
      expect(await stored(body)).toEqual([]);
    });

    it.each(['hello', '{}', '[]', 'null', '{"depositId":7,"status":"COMPLETED"}'])(
      'but with %s, is rejected and not stored',
      async (body) => {
        expect(await send(genuine(body))).toEqual([400, refusedAs('INVALID_EVENT')]);
        expect(await stack.db('inbox').where({ body })).toEqual([]);
      },
    );
  });

  describe('that is not authentic', () => {
    let id: string;
    beforeAll(async () => {
      id = await pending();
    });

    it.each(forgeries)('is rejected and not stored: one %s', async (_what, forge) => {
      expect(await send(forge(completed(id), new URL(stack.apiUrl).host))).toEqual(refused);
      expect(await stored(id)).toEqual([]);
    });

    it('changes nothing: the deposit is still open, and the authentic one is accepted after all', async () => {
      await shownAs(stack, merchant, id, { is_final: false, payment_status: 'Processing' });
      expect([await credits(id), callbacksOf(merchant, id)]).toEqual([[], []]);
      expect(await send(genuine(completed(id)))).toEqual(taken);
      await notifiedOf(merchant, id, 'Success');
      expect(await credits(id)).toEqual([2550n]);
    });
  });

  describe('as the provider sends it', () => {
    /** Our answers, once each of this many callbacks about the deposit has its answer. */
    const answers = (id: string, count: number) =>
      waitFor(
        async () => {
          const reported = await notificationsOf(provider, id);
          const statuses = reported.map(({ answer }) => answer?.status);
          return statuses.length >= count && !statuses.includes(undefined) ? statuses : undefined;
        },
        { what: `${String(count)} answers to the provider about ${id}`, timeoutMs: 30_000 },
      );

    it.each(['raw', 'der'])('is accepted, with ECDSA signatures in %s', async (encoding) => {
      await provider.notify('account', { signature_encoding: encoding });
      const id = await deposit('789');
      expect(await answers(id, 1)).toEqual([200]);
      await notifiedOf(merchant, id, 'Success');
      expect([(await stored(id)).length, await credits(id)]).toEqual([1, [2550n]]);
    });

    it('is accepted 25 minutes after it was signed: it may be a repeat', async () => {
      await provider.next({ call: 'callback', behave: 'aged_signature' });
      const id = await deposit('789');
      expect(await answers(id, 1)).toEqual([200]);
      await notifiedOf(merchant, id, 'Success');
      expect((await stored(id)).length).toBe(1);
    });

    it.each(['bad_digest', 'expired_signature', 'unknown_key', 'unsigned'])(
      'is rejected when its signature is damaged (%s), and the status call finds the payment',
      async (behave) => {
        await provider.next({ call: 'callback', behave });
        const id = await deposit('789');
        await notifiedOf(merchant, id, 'Success');
        expect(new Set(await answers(id, 1))).toEqual(new Set([401]));
        expect([await stored(id), await credits(id)]).toEqual([[], [2550n]]);
      },
    );

    it('is accepted after earlier forgeries', async () => {
      await provider.next({ call: 'callback', behave: 'forge' });
      const id = await deposit('049');
      expect(await answers(id, 2)).toEqual([401, 200]);
      await notifiedOf(merchant, id, 'Failed');
      expect(await stored(id)).toEqual([expect.stringContaining('"status":"FAILED"')]);
      expect(await credits(id)).toEqual([]);
    });
  });

  describe('signed with a key that is not known yet', () => {
    it('triggers a read of the provider’s list, and is accepted once the key is there', async () => {
      const id = await pending();
      const key = newEcKey();
      keyList.keys.push({ id: 'P256:new', key: pemOf(key) });
      const sent = () => genuine(completed(id), { keyid: 'P256:new', sign: byKey(key) });
      await waitFor(async () => (await send(sent()))[0] === 200, {
        what: 'the new key to be known',
        timeoutMs: 40_000,
        everyMs: 1_000,
      });
      await notifiedOf(merchant, id, 'Success');
    });

    it('does not trigger a read for each unknown key of another caller', async () => {
      const [before, since] = [keyList.asked, Date.now()];
      for (let n = 0; n < 30; n += 1) {
        expect(await send(genuine(completed('7'), { keyid: `stranger:${String(n)}` }))).toEqual(refused);
      }
      const tensOfSeconds = Math.ceil((Date.now() - since) / 10_000);
      expect(keyList.asked - before).toBeLessThanOrEqual(1 + tensOfSeconds);
    });
  });
});
