/** A new version is deployed under load: processes are stopped, or frozen while others take over. */
import { Agent } from 'undici';
import { waitFor } from '../../tools/sandbox/services/wait-for';
import type { ChildProcess } from '../../tools/sandbox/services/child-process';
import { simulatorControl, type SimulatorControl } from '../support/rails/simulator-control';
import { creditsOf, push } from '../support/rails/stk/payments';
import { request } from '../support/described-request';
import { paymentIdOf } from '../support/merchant-client';
import { startStack, type OwnStack, type TestMerchant } from '../support/stack';
import { everythingEndsWell } from './support/ending-well';
import { inParallel, pushUntilAccepted } from './support/patient-merchant';

describe('a deployment', () => {
  let stack: OwnStack;
  let merchant: TestMerchant;
  let provider: SimulatorControl;
  beforeAll(async () => {
    stack = await startStack({ timeScale: 20 });
    merchant = await stack.createMerchant();
    provider = simulatorControl(stack.simulatorUrl, 'stk');
  });
  afterAll(() => stack.stop());

  const signal = ({ pid }: ChildProcess, name: NodeJS.Signals) => process.kill(-pid, name);

  async function inFlight(count: number): Promise<true> {
    return waitFor(
      async () => {
        const rows = await stack.db('payments').where({ state: 'initiating' }).select('payment_id');
        return rows.length === count || undefined;
      },
      { what: `${count} requests in progress`, timeoutMs: 20_000 },
    );
  }

  it('lets the API answer every started request before it ends', async () => {
    await provider.next({ call: 'initiate', behave: 'delay', ms: 2_000, times: 8 });
    const pushing = Array.from({ length: 8 }, () => push(stack, merchant));
    await inFlight(8);
    const api = stack.process('api');
    signal(api, 'SIGTERM');
    // A balancer sends nothing to a process that accepts no connections.
    await waitFor(async () => (await fetch(`${stack.opsUrl}/readyz`)).status === 503 || undefined, {
      what: 'the stopping process to be not ready',
      timeoutMs: 20_000,
    });
    const answers = await Promise.all(pushing);
    expect(await api.exited).toBe('code 0');
    await stack.start('api');
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await everythingEndsWell(stack, { merchants: [merchant], accepted: answers.map(paymentIdOf) });
  });

  it.each([
    ["the merchants'", 'MALIPO_API_PORT', () => stack.apiUrl],
    ["the operators'", 'MALIPO_OPS_PORT', () => stack.opsUrl],
  ])(
    'ends a process whose %s port is in use, and leaves nothing half-started',
    async (_whose, setting, url) => {
      const starting = stack.startAnother('api', { [setting]: new URL(url()).port });
      await expect(starting).rejects.toThrow(/EADDRINUSE|code 1/);
    },
  );

  it('lets the worker finish its work, and another one take over', async () => {
    const load = inParallel(20, 4, async () => (await pushUntilAccepted(stack, merchant)).paymentId);
    await waitFor(async () => (await stack.db('payments').where({ is_final: 0 })).length > 2 || undefined, {
      what: 'a load',
      timeoutMs: 20_000,
    });
    const old = stack.process('worker');
    const another = await stack.startAnother('worker');
    signal(old, 'SIGTERM');
    expect(await old.exited).toBe('code 0');
    await everythingEndsWell(stack, { merchants: [merchant], accepted: await load });
    // Nothing had to be queried again: the sender got the answer of every submission.
    const attempts = await stack.db('attempts').select('state');
    expect(attempts.filter(({ state }) => state !== 'accepted')).toEqual([]);
    signal(another.child, 'SIGTERM');
    expect(await another.child.exited).toBe('code 0');
    await stack.start('worker');
  });

  it('credits once although a frozen worker continues where it was', async () => {
    const frozen = stack.process('worker');
    const payers = Array.from({ length: 6 }, (_, n) => `25471900000${n}`);
    for (const phone of payers) {
      await provider.next({ call: 'initiate', behave: 'delay', ms: 10_000, where: { phone_number: phone } });
    }
    const pushing = payers.map((phone) => push(stack, merchant, { phone_number: phone }));
    // An attempt that was not sent by then is not sent when the worker continues: it is too old, and needs an operator.
    await waitFor(
      async () => {
        const asked = (await provider.exchanges('initiate')).map(({ body }) => String(body['PhoneNumber']));
        return payers.every((phone) => asked.includes(phone)) || undefined;
      },
      { what: 'every request to reach the provider', timeoutMs: 20_000 },
    );
    signal(frozen, 'SIGSTOP');
    await stack.startAnother('worker');
    const ids = (await Promise.all(pushing)).map(paymentIdOf);
    await waitFor(
      async () =>
        (await stack.db('payments').whereIn('payment_id', ids).where({ is_final: 1 })).length > 0 ||
        undefined,
      { what: 'a payment to be taken over', timeoutMs: 90_000 },
    );

    signal(frozen, 'SIGCONT');
    await everythingEndsWell(stack, { merchants: [merchant], accepted: ids });
    for (const id of ids) expect(await creditsOf(stack.db, id)).toEqual([125_000n]);
  });

  it('closes no kept-alive connection during a request, while two API processes end one after the other', async () => {
    const second = await stack.startAnother('api');
    // It calls as fast as it gets answers.
    const eager = await stack.createMerchant('Eager Shop', { apiRate: 60_000, apiBurst: 60_000 });
    const agent = new Agent({ connections: 4, keepAliveTimeout: 60_000 });
    const headers = { 'x-api-key': eager.apiKey, 'x-api-secret': eager.apiSecret };
    let urls = [stack.apiUrl, second.url];
    const failures: string[] = [];
    const served = new Map<string, number>();
    let isOver = false;
    /** Like a balancer: a server that does not listen gets no more requests, and nothing else may fail. */
    async function ask(): Promise<void> {
      const url = urls[Math.floor(Math.random() * urls.length)] ?? '';
      try {
        const answer = await request(`${url}/api/v1/query_balance`, { dispatcher: agent, headers });
        if (answer.statusCode === 200) served.set(url, (served.get(url) ?? 0) + 1);
        else failures.push(`${url}: ${answer.statusCode}`);
      } catch (error) {
        if ((error as { code?: string }).code === 'ECONNREFUSED')
          urls = urls.filter((other) => other !== url);
        else failures.push(`${url}: ${String(error)}`);
      }
    }
    async function askOn(): Promise<void> {
      while (!isOver) await ask();
    }
    const asking = Array.from({ length: 8 }, askOn);
    const servedBy = (url: string, count: number) =>
      waitFor(() => Promise.resolve((served.get(url) ?? 0) > count || undefined), {
        what: `${count} answers`,
        timeoutMs: 30_000,
      });
    try {
      const first = stack.process('api');
      await servedBy(stack.apiUrl, 50);
      // With a balancer in front, it gets no more requests, and then ends.
      await stack.restart(stack.names('api')[0] ?? '');
      expect(await first.exited).toBe('code 0');
      served.clear();
      urls = [stack.apiUrl, second.url];
      await servedBy(second.url, 50);
      signal(second.child, 'SIGTERM');
      expect(await second.child.exited).toBe('code 0');
    } finally {
      isOver = true;
      await Promise.all(asking);
      await agent.close();
    }
    expect(failures).toEqual([]);
  });
});
