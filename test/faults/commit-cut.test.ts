/**
 * Every COMMIT of every creation is cut: before the server receives it, or with its answer lost; and the database
 * returns at once, or only after the merchant was answered. The merchant's answer must match the stored payment.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import {
  acceptances,
  bulkAcceptances,
  outfit,
  answeredIdOf,
  voucherAcceptances,
  type CreationRequest,
} from '../support/creation-requests';
import { expectClean } from '../support/expect-clean';
import { call, type ApiAnswer } from '../support/merchant-client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { testTemporalAddress } from '../support/temporal';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { hostOf, startProxy, type Moment, type Proxy } from './support/proxy';

/** The statements that identify a transaction of the API. */
const written = /insert into `(?:payments|vouchers)`|update `vouchers`/;
const withdrawn = /insert into `payment_log`/;
const kept = /update `payments` set `answered_at`/;

interface Try {
  what: string;
  submissionResult: CreationRequest;
  body: Record<string, unknown>;
  key: string | undefined;
  answer: Promise<ApiAnswer>;
}

const moments: Moment[] = ['before', 'after'];
const all = { ...acceptances, ...bulkAcceptances, ...voucherAcceptances };

describe('a COMMIT that is cut', () => {
  let database: TestDatabase;
  let proxies: { mysql: Proxy; temporal: Proxy };
  let stack: OwnStack;
  /** One for each kind: two transactions that wait at their COMMIT must not need the same row. */
  const merchants = new Map<string, TestMerchant>();
  beforeAll(async () => {
    database = await createTestDatabase();
    proxies = {
      mysql: await startProxy(hostOf(database.url)),
      temporal: await startProxy(testTemporalAddress()),
    };
    stack = await startStack({
      timeScale: 100,
      database,
      // The tests wait for this time to pass.
      env: { MALIPO_ACCEPTANCE_TIMEOUT_MS: '5000' },
      // The worker's too: its sweeper would start what the API cannot.
      temporalAddress: proxies.temporal.via(testTemporalAddress()),
      envOf: {
        api: {
          DATABASE_URL: proxies.mysql.via(database.url),
          // All are caught at once, each with its own connection.
          MALIPO_DATABASE_POOL: '40',
        },
      },
    });
    for (const what of Object.keys(all))
      merchants.set(what, await outfit(stack, await stack.createMerchant(what)));
  });
  afterEach(() => {
    proxies.mysql.heal();
    proxies.temporal.heal();
  });
  afterAll(async () => {
    // Reports that arrived while the engine was down are read once it is back.
    const unread = () => stack.db('inbox').where({ state: 'new' }).whereNull('processed_at').first();
    await waitFor(async () => ((await unread()) ? undefined : true), {
      what: 'every notification to be read',
      timeoutMs: 120_000,
      everyMs: 500,
    });
    await expectClean(stack);
    await stack.stop();
    await Promise.all([proxies.mysql.close(), proxies.temporal.close()]);
  });

  const merchantOf = (what: string): TestMerchant => {
    const merchant = merchants.get(what);
    if (!merchant) throw new Error(`nobody asks for ${what}`);
    return merchant;
  };
  const send = ({ what, submissionResult: { path }, body, key }: Omit<Try, 'answer'>): Promise<ApiAnswer> =>
    call(stack, merchantOf(what), 'POST', path, body, key === undefined ? {} : { 'Idempotency-Key': key });

  /** One request of each kind, all in progress until their COMMIT. */
  async function begin(
    kinds: Record<string, CreationRequest>,
    { keyed, of, when, prepared }: { keyed: boolean; of: RegExp; when: Moment; prepared?: () => void },
  ) {
    const requests = await Promise.all(
      Object.entries(kinds).map(async ([what, submissionResult]) => ({
        what,
        submissionResult,
        body: await submissionResult.request(stack, merchantOf(what), randomUUID()),
        key: keyed ? randomUUID() : undefined,
      })),
    );
    prepared?.();
    const caught = proxies.mysql.catchCommits(of, when);
    const tries: Try[] = requests.map((request) => ({ ...request, answer: send(request) }));
    await waitFor(async () => caught.count() === tries.length || undefined, {
      what: `${String(tries.length)} transactions to be at their COMMIT`,
      timeoutMs: 60_000,
      everyMs: 10,
    });
    return { tries, caught };
  }

  /** The answer matches what exists. @returns the existing payment's id, if any. */
  async function expectTrue(
    { what, submissionResult, body }: Try,
    answer: ApiAnswer,
  ): Promise<string | undefined> {
    const living = await submissionResult.living(stack.db, body);
    const { status, body: reported } = answer;
    const says = String(reported['message']);
    const seen = { what, status, code: reported.code, living };
    if (status === 200) expect(seen).toMatchObject({ living: [await answeredIdOf(stack.db, answer)] });
    else if (says.includes('nothing was started')) expect(seen).toMatchObject({ status: 503, living: [] });
    else {
      const isCard = submissionResult.path.startsWith('/api/cardproc');
      expect(seen).toMatchObject(
        isCard ? { status: 500, code: 'PROCESSOR_FAILURE' } : { status: 504, code: 'ACCEPTANCE_UNKNOWN' },
      );
      expect(says).toContain('It is unknown whether');
      expect(living.length).toBeLessThanOrEqual(1);
    }
    return living[0];
  }

  const wasWithdrawn = new Set<Try>();

  /** Follows the answer: with the key, repeats the request until it is answered. */
  async function repeated(request: Try): Promise<ApiAnswer> {
    return waitFor(
      async () => {
        const answer = await send(request);
        if (answer.status === 200) return answer;
        if (answer.status === 409) expect(answer.body.code).toBe('REQUEST_IN_PROGRESS');
        // If the engine is not back yet, this one is withdrawn too, and the answer says so; the next request creates
        // another.
        if (answer.status === 503) wasWithdrawn.add(request);
        return undefined;
      },
      { what: `${request.what} to be answered`, timeoutMs: 60_000, everyMs: 200 },
    );
  }

  async function expectOneEach(tries: Try[]): Promise<void> {
    await Promise.all(
      tries.map(async (request) => {
        const before = await expectTrue(request, await request.answer);
        const answer = await repeated(request);
        const after = await expectTrue(request, answer);
        expect(after).toEqual(wasWithdrawn.has(request) ? expect.any(String) : (before ?? after));
      }),
    );
  }

  describe.each(moments)('%s the server receives it', (when) => {
    it('and a database that is back at once loses nothing: each is accepted, once', async () => {
      const { tries, caught } = await begin(all, { keyed: true, of: written, when });
      await caught.spring();
      await expectOneEach(tries);
    });

    it.each([true, false])(
      'and a database that is down for a while are reported as unknown (with a key: %j)',
      async (keyed) => {
        const { tries, caught } = await begin(all, { keyed, of: written, when });
        await caught.spring();
        proxies.mysql.fail();
        const answers = await Promise.all(tries.map(({ answer }) => answer));
        proxies.mysql.heal();
        expect(answers.map(({ status }) => status).filter((status) => status < 500)).toEqual([]);
        for (const [n, answer] of answers.entries()) {
          const request = tries[n] as Try;
          const living = await expectTrue(request, answer);
          expect({ what: request.what, lives: living !== undefined }).toEqual({
            what: request.what,
            lives: when === 'after',
          });
          if (living !== undefined)
            expect([undefined, living]).toContain(await answeredIdOf(stack.db, answer));
        }
        if (keyed) await expectOneEach(tries);
      },
    );

    // Each waits for the engine for the longest time of a creation.
    it.each(when === 'after' ? [true, false] : [false])(
      'in a withdrawal, because the engine is down, leaves no accepted payment unfinished (database back at once: %j)',
      async (isBack) => {
        const prepared = proxies.temporal.fail;
        const { tries, caught } = await begin(acceptances, { keyed: true, of: withdrawn, when, prepared });
        await caught.spring();
        if (!isBack) proxies.mysql.fail();
        const answers = await Promise.all(tries.map(({ answer }) => answer));
        proxies.mysql.heal();
        proxies.temporal.heal();
        for (const [n, answer] of answers.entries()) {
          await expectTrue(tries[n] as Try, answer);
          if (isBack) expect(answer.body.code).toBe('SERVICE_UNAVAILABLE');
        }
        await expectOneEach(tries);
      },
    );
  });

  it('as a refund is answered before its turn leaves it accepted or unknown, and never withdrawn', async () => {
    const refunds = Object.fromEntries(
      Object.entries(acceptances).filter(([what]) => what.endsWith('refund')),
    );
    for (const when of moments) {
      const { tries, caught } = await begin(refunds, { keyed: true, of: kept, when });
      await caught.spring();
      proxies.mysql.fail();
      await Promise.all(tries.map(({ answer }) => answer));
      proxies.mysql.heal();
      await expectOneEach(tries);
    }
  });

  it('by the death of the API returns the first answer to a repeated request, at once', async () => {
    const { tries, caught } = await begin(all, { keyed: true, of: written, when: 'after' });
    const broken = Promise.allSettled(tries.map(({ answer }) => answer));
    await caught.spring();
    await stack.kill('api');
    const diedAt = Date.now();
    await broken;
    await stack.start('api');
    const startedAt = Date.now();
    await Promise.all(
      tries.map(async (request) => {
        const before = await request.submissionResult.living(stack.db, request.body);
        const answer = await repeated(request);
        expect([await expectTrue(request, answer)]).toEqual(before);
      }),
    );
    // The keys are free two seconds after its death; the answers themselves take the providers' time.
    const claims = await stack.db('idempotency_keys').where({ state: 'running' });
    expect(claims).toEqual([]);
    expect(startedAt).toBeGreaterThan(diedAt);
  });
});
