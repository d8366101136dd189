/** The simulator's control API: actions of the customer, the network and the clock. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorControl, Success } from '../../../src/rail-kit/demo';
import { waitFor } from '../services/wait-for';

const hurriedStepMs = 1_000;
const pauseMs = 150;

export function simulatorControl(simulatorUrl: string): SimulatorControl {
  async function post(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const response = await fetch(`${simulatorUrl}/control${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the simulator rejected ${path}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  async function get(path: string): Promise<string> {
    const response = await fetch(`${simulatorUrl}/control${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`the simulator rejected ${path}: ${text}`);
    return text;
  }

  async function advance(ms: number): Promise<void> {
    await post('/clock', { advance_ms: ms });
  }

  return {
    post,
    async mailsTo(address) {
      const { mails } = JSON.parse(await get('/mail')) as { mails: { to: string; text: string }[] };
      return mails.filter(({ to }) => to === address).map(({ text }) => text);
    },
    async successes(provider) {
      const books = JSON.parse(await get(`/books?provider=${provider}&detail=1`)) as Record<
        string,
        Success[]
      >;
      return books[provider] ?? [];
    },
    statement: (provider, fault) => get(`/statement?provider=${provider}&fault=${fault}`),
    advance,
    async hurry(awaited) {
      const over = awaited.then(
        () => true,
        () => true,
      );
      const paused = () => delay(pauseMs).then(() => false);
      do await advance(hurriedStepMs);
      while (!(await Promise.race([over, paused()])));
      return awaited;
    },
    async until(isSo) {
      await this.hurry(waitFor(isSo, { what: 'the simulated provider', timeoutMs: 30_000, everyMs: 200 }));
    },
  };
}
