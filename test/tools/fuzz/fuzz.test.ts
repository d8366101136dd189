/** A short run of `npm run fuzz`, always the same one; and the fuzzer itself, seen finding what it is for. */
import { requestOf } from '../../../tools/fuzz/generate';
import { faultOf } from '../../../tools/fuzz/judge';
import { readReplay, replayLine } from '../../../tools/fuzz/request';
import { canariesIn, fuzz, tryOne, type Subject } from '../../../tools/fuzz/run';
import type { Answer } from '../../../tools/fuzz/send';
import { targetsOf } from '../../../tools/fuzz/targets';
import { createWorld } from '../../../tools/fuzz/world';
import { Agent } from 'node:http';
import { expectClean } from '../../support/expect-clean';
import { startStack, type OwnStack } from '../../support/stack';

const plan = { seed: 20_260_105, requestsMax: 700, msMax: 90_000, concurrency: 12 };

let stack: OwnStack;
let subject: Subject;
beforeAll(async () => {
  stack = await startStack({
    timeScale: 20,
    env: { MALIPO_TRUSTED_PROXIES: '127.0.0.1/32', MALIPO_LOG_LEVEL: 'debug' },
  });
  const merchants = await Promise.all(['First', 'Second'].map((name) => stack.createMerchant(name)));
  const world = createWorld(
    stack.db,
    merchants.map(({ merchantId, apiKey, apiSecret, webhookSecret }) => ({
      merchant_id: merchantId,
      api_key: apiKey,
      api_secret: apiSecret,
      webhook_secret: webhookSecret,
    })),
    stack.env['XB_CHALLENGE'] ?? '',
  );
  subject = { apiPort: Number(new URL(stack.apiUrl).port), targets: targetsOf(stack.env), world };
});
afterAll(() => stack.stop());

describe('some hundred requests of any kind', () => {
  it('are answered as documented, repeat nothing, end no process and leave the books in order', async () => {
    const result = await fuzz(subject, plan, () => undefined);
    expect(
      result.failures.map(({ request, why, status, line }) => [request.route, why, status, line]),
    ).toEqual([]);
    expect(result.sent).toBe(plan.requestsMax);
    // A run in which nothing gets past the door would find nothing behind it.
    expect(result.statuses['200'] ?? 0).toBeGreaterThan(20);
    expect((await stack.db('payments').select('payment_id')).length).toBeGreaterThan(0);
    for (const name of ['api', 'worker', 'simulator'] as const)
      expect(stack.process(name).isRunning()).toBe(true);
    expect(canariesIn(await stack.logs(), plan.seed)).toEqual([]);
    await expectClean({ db: stack.db, env: stack.env });
  });

  it('try every endpoint and every notification route', () => {
    const tried = new Set(
      Array.from(
        { length: plan.requestsMax },
        (_, index) => requestOf(subject.targets, plan.seed, index).route,
      ),
    );
    expect([...tried].sort()).toEqual(subject.targets.map(({ method, path }) => `${method} ${path}`).sort());
  });
});

describe('a request', () => {
  const one = (seed: number, index: number) => requestOf(subject.targets, seed, index);

  it('is the same for the same seed and number, and another for another', () => {
    expect(one(1, 17)).toEqual(one(1, 17));
    expect(one(1, 17)).not.toEqual(one(2, 17));
    expect(one(1, 17)).not.toEqual(one(1, 18));
  });

  it('can be sent again from the line that names it', async () => {
    const line = replayLine(one(1, 17));
    const again = readReplay(line.split(' ').at(-1) ?? '');
    expect(again).toEqual(one(1, 17));
    const { answer } = await tryOne(subject, new Agent(), again);
    expect(answer.status).toBeGreaterThan(0);
  });
});

describe('an answer is a fault when it', () => {
  const sent = () => ({ ...requestOf(subject.targets, 1, 1), kind: 'endpoint' as const, method: 'POST' });
  const told = (changes: object = {}) =>
    JSON.stringify({
      success: false,
      error: 'e',
      message: 'e',
      code: 'VALIDATION_FAILED',
      request_id: 'r',
      timestamp: 't',
      ...changes,
    });
  const answered = (changes: Partial<Answer> = {}): Answer => ({
    status: 400,
    headers: {},
    text: told(),
    ms: 5,
    ...changes,
  });

  it.each<[string, Partial<Answer>, RegExp]>([
    ['fails', { status: 500, text: told({ code: 'INTERNAL_ERROR' }) }, /undocumented 500/],
    ['comes late', { ms: 10_001 }, /after 10 s/],
    ['never comes', { status: 0, fault: 'no answer in 20000 ms' }, /no answer/],
    ['has another shape', { text: '{"error":"e"}' }, /another shape/],
    ['is no JSON', { text: '<h1>Bad Request</h1>' }, /no JSON/],
    ['has a code of its own', { text: told({ code: 'OTHER' }) }, /not listed/],
  ])('%s', (_, changes, why) => {
    expect(faultOf(sent(), answered(changes))).toMatch(why);
  });

  it('repeats what was sent', () => {
    const request = sent();
    expect(faultOf(request, answered({ text: told({ message: `no ${request.canary}` }) }))).toMatch(
      /repeats/,
    );
    expect(canariesIn(`a\nb ${request.canary}\nc`, 1)).toEqual([`b ${request.canary}`]);
  });

  it('is none when it is as documented', () => {
    expect(faultOf(sent(), answered())).toBeUndefined();
    expect(faultOf(sent(), answered({ status: 503, text: told({ code: 'SERVICE_BUSY' }) }))).toBeUndefined();
    expect(
      faultOf(sent(), answered({ status: 500, text: told({ code: 'PROCESSOR_FAILURE' }) })),
    ).toBeUndefined();
  });
});
