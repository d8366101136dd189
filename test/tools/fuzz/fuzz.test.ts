/** A short run of `npm run fuzz`, always the same; and the fuzzer itself, finding planted errors. */
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
  it('are answered as documented, repeat no input, end no process and leave the books in order', async () => {
    const result = await fuzz(subject, plan, () => undefined);
    expect(
      result.failures.map(({ request, why, status, line }) => [request.route, why, status, line]),
    ).toEqual([]);
    expect(result.sent).toBe(plan.requestsMax);
    // A run in which every request is rejected early would find nothing.
    expect(result.statuses['200'] ?? 0).toBeGreaterThan(20);
    expect((await stack.db('payments').select('payment_id')).length).toBeGreaterThan(0);
    for (const name of ['api', 'worker', 'simulator'] as const)
      expect(stack.process(name).isRunning()).toBe(true);
    expect(canariesIn(await stack.logs(), plan.seed)).toEqual([]);
    await expectClean({ db: stack.db, env: stack.env });
  });

  it('reach every endpoint and every notification route', () => {
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

  it('is the same for the same seed and number, and different otherwise', () => {
    expect(one(1, 17)).toEqual(one(1, 17));
    expect(one(1, 17)).not.toEqual(one(2, 17));
    expect(one(1, 17)).not.toEqual(one(1, 18));
  });

  it('can be sent again from its printed line', async () => {
    const line = replayLine(one(1, 17));
    const again = readReplay(line.split(' ').at(-1) ?? '');
    expect(again).toEqual(one(1, 17));
    const { answer } = await tryOne(subject, new Agent(), again);
    expect(answer.status).toBeGreaterThan(0);
  });
});

describe('an answer is an error if it', () => {
  const sent = () => ({ ...requestOf(subject.targets, 1, 1), kind: 'endpoint' as const, method: 'POST' });
  const reported = (changes: object = {}) =>
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
    text: reported(),
    ms: 5,
    ...changes,
  });

  it.each<[string, Partial<Answer>, RegExp]>([
    ['fails', { status: 500, text: reported({ code: 'INTERNAL_ERROR' }) }, /undocumented 500/],
    ['comes late', { ms: 10_001 }, /after 10 s/],
    ['never comes', { status: 0, fault: 'no answer in 20000 ms' }, /no answer/],
    ['has another format', { text: '{"error":"e"}' }, /another shape/],
    ['is not JSON', { text: '<h1>Bad Request</h1>' }, /not a JSON object/],
    ['has an undocumented code', { text: reported({ code: 'OTHER' }) }, /not documented/],
  ])('%s', (_, changes, why) => {
    expect(faultOf(sent(), answered(changes))).toMatch(why);
  });

  it('contains sent data', () => {
    const request = sent();
    expect(faultOf(request, answered({ text: reported({ message: `no ${request.canary}` }) }))).toMatch(
      /contains sent data/,
    );
    expect(canariesIn(`a\nb ${request.canary}\nc`, 1)).toEqual([`b ${request.canary}`]);
  });

  it('is none if it is as documented', () => {
    expect(faultOf(sent(), answered())).toBeUndefined();
    expect(
      faultOf(sent(), answered({ status: 503, text: reported({ code: 'SERVICE_BUSY' }) })),
    ).toBeUndefined();
    expect(
      faultOf(sent(), answered({ status: 500, text: reported({ code: 'PROCESSOR_FAILURE' }) })),
    ).toBeUndefined();
  });
});
