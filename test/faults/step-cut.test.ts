/** A connection to the database that breaks at one packet after another: before it arrived, or with its answer lost. */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import { call, paymentIdOf, stkPush } from '../support/merchant-client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startStack, type Stack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { pushUntilAccepted, type Pushed } from './support/patient-merchant';
import { hostOf, startProxy, type Moment, type Proxy } from './support/proxy';

const moments: Moment[] = ['before', 'after'];
/** About the number of packets of one payment: later packets belong to the next one. */
const packetsMax = { api: 13, worker: 40 };

describe('a connection to the database that breaks at any packet', () => {
  let database: TestDatabase;
  let proxies: Record<'api' | 'worker', Proxy>;
  let stack: Stack;
  let merchant: TestMerchant;
  beforeAll(async () => {
    database = await createTestDatabase();
    const host = hostOf(database.url);
    proxies = { api: await startProxy(host), worker: await startProxy(host) };
    stack = await startStack({
      timeScale: 20,
      database,
      envOf: {
        api: { DATABASE_URL: proxies.api.via(database.url) },
        worker: { DATABASE_URL: proxies.worker.via(database.url) },
      },
    });
    merchant = await stack.createMerchant();
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([proxies.api.close(), proxies.worker.close()]);
  });

  /** A rejected merchant tries again while the next request is in progress. */
  async function cutAtEach(name: 'api' | 'worker', when: Moment, step: number): Promise<Pushed[]> {
    const pushing: Promise<Pushed>[] = [];
    for (let packet = 1; packet <= packetsMax[name]; packet += step) {
      const broken = proxies[name].atPacket(packet, when, proxies[name].cut);
      pushing.push(pushUntilAccepted(stack, merchant));
      const what = `the ${name} to send packet ${packet}`;
      await waitFor(async () => broken() || undefined, { what, timeoutMs: 30_000, everyMs: 10 });
    }
    return Promise.all(pushing);
  }

  it.each(moments)(
    '%s the server receives it loses no payment of the API, and creates no second one for the merchant',
    async (when) => {
      const pushed = await cutAtEach('api', when, 1);
      const accepted = pushed.map(({ paymentId }) => paymentId);
      await everythingEndsWell(stack, { merchants: [merchant], accepted });
      expect(new Set(accepted).size).toBe(pushed.length);
      // A request is accepted or answered to retry; it never breaks, and a rejected one started nothing.
      expect(pushed.map(({ broken }) => broken)).toEqual(pushed.map(() => 0));
      const further = await stack
        .db('payments')
        .whereNotIn('payment_id', accepted)
        .whereNot({ state: 'failed' });
      expect(further.filter(({ created_at: at }) => at >= started)).toEqual([]);
    },
  );

  it.each(moments)('%s the server receives it makes the worker do nothing twice', async (when) => {
    const accepted = (await cutAtEach('worker', when, 2)).map(({ paymentId }) => paymentId);
    await everythingEndsWell(stack, { merchants: [merchant], accepted });
  });

  describe('with the answer to a claim of an Idempotency-Key', () => {
    /** A slow machine may take longer than two seconds; the process lives on. */
    const freeAgainMs = 10_000;
    const inserted = /^insert into `idempotency_keys`/;
    const takenOver = /^update `idempotency_keys` set `claim_id`/;
    const lastKey = async () => {
      const [key] = await stack.db('idempotency_keys').orderBy('created_at', 'desc').limit(1);
      if (!key) throw new Error('no key was used');
      return key;
    };

    /** Measures how long the key was claimed by no request and yet not free. */
    async function repeatedAfterLosing(answerTo: RegExp, request: { body: object; key: string }) {
      const send = () =>
        call(stack, merchant, 'POST', '/api/v1/stk_push', request.body, { 'Idempotency-Key': request.key });
      const isLost = proxies.api.loseAnswerTo(answerTo);
      const first = await send();
      const lostAt = Date.now();
      expect([isLost(), first.status, first.body.code]).toEqual([true, 504, 'ACCEPTANCE_UNKNOWN']);
      let heldForMs = 0;
      const answer = await waitFor(
        async () => {
          const again = await send();
          if (again.body.code !== 'REQUEST_IN_PROGRESS') return again;
          heldForMs = Date.now() - lostAt;
          return undefined;
        },
        { what: 'the key to be answered', timeoutMs: 30_000, everyMs: 50 },
      );
      return { answer, heldForMs };
    }

    it('frees the key for its next request within seconds, though the process lives', async () => {
      const request = { body: stkPush(), key: randomUUID() };
      const { answer, heldForMs } = await repeatedAfterLosing(inserted, request);
      expect(answer.status).toBe(200);
      expect(heldForMs).toBeLessThan(freeAgainMs);
      await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(answer)] });
    });

    it('that was taken over leads to the payment of its first request', async () => {
      const request = { body: stkPush(), key: randomUUID() };
      const first = await call(stack, merchant, 'POST', '/api/v1/stk_push', request.body, {
        'Idempotency-Key': request.key,
      });
      const { merchant_id, key_hash } = await lastKey();
      // As its process would have left it, if it had died before it stored the answer.
      await stack
        .db('idempotency_keys')
        .where({ merchant_id, key_hash })
        .update({ state: 'running', process_id: '', http_status: null, response: null });
      const { answer, heldForMs } = await repeatedAfterLosing(takenOver, request);
      expect([answer.status, paymentIdOf(answer)]).toEqual([200, paymentIdOf(first)]);
      expect(heldForMs).toBeLessThan(freeAgainMs);
      await everythingEndsWell(stack, { merchants: [merchant], accepted: [paymentIdOf(first)] });
    });
  });

  let started = new Date();
  beforeEach(() => {
    started = new Date();
  });
});
