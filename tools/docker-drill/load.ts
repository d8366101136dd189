/**
 * Payments at a steady rate. Each has a new connection, as from many merchants. Only a call that the API turned away because
 * the machine is busy is repeated, as a merchant does; any other answer than success is a failure.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../sandbox/services/wait-for';

export interface Merchant {
  api_key: string;
  api_secret: string;
}

export interface Outcome {
  asked: number;
  /** How often the API turned a call away because it was busy. */
  busy: number;
  /** What was answered, or why there was no answer. */
  failed: string[];
  /** The ids of the accepted payments. */
  accepted: string[];
  slowestMs: number;
}

let phones = 0;
/** A number whose owner pays at once: at the simulator, one that ends in 600 waits for a person. */
function nextPhone(): string {
  phones += phones % 1_000 === 599 ? 2 : 1;
  return `25479${String(phones).padStart(7, '0')}`;
}

export class Load {
  private readonly calls: Promise<void>[] = [];
  private readonly outcome: Outcome = { asked: 0, busy: 0, failed: [], accepted: [], slowestMs: 0 };
  private running?: Promise<void>;
  private isEnding = false;

  constructor(
    private readonly url: string,
    private readonly merchant: Merchant,
    private readonly perSecond: number,
  ) {}

  begin(): void {
    this.running = this.run();
  }

  /** Resolves when so many more payments were accepted. */
  async atLeast(count: number): Promise<void> {
    const target = this.outcome.accepted.length + count;
    await waitFor(() => Promise.resolve(this.outcome.accepted.length >= target), {
      what: `${String(count)} more payments`,
      timeoutMs: 120_000,
    });
  }

  /** Resolves when all calls are over. */
  async end(): Promise<Outcome> {
    this.isEnding = true;
    await this.running;
    await Promise.all(this.calls);
    return this.outcome;
  }

  private async run(): Promise<void> {
    while (!this.isEnding) {
      this.calls.push(this.pay());
      await delay(1_000 / this.perSecond);
    }
  }

  private async pay(): Promise<void> {
    const [order, phone] = [randomUUID(), nextPhone()];
    const since = performance.now();
    this.outcome.asked += 1;
    try {
      let { ok, text } = await this.ask(order, phone);
      while (!ok && text.includes('"SERVICE_BUSY"')) {
        this.outcome.busy += 1;
        await delay(1_000);
        ({ ok, text } = await this.ask(order, phone));
      }
      const [, id] = /"payment_id":"([\w-]+)"/.exec(text) ?? [];
      if (ok && id !== undefined) this.outcome.accepted.push(id);
      else this.outcome.failed.push(text);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      this.outcome.failed.push(`${String(error)}${cause}`);
    }
    this.outcome.slowestMs = Math.max(this.outcome.slowestMs, performance.now() - since);
  }

  private async ask(order: string, phone: string): Promise<{ ok: boolean; text: string }> {
    const response = await fetch(`${this.url}/api/v1/stk_push`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Connection: 'close',
        'X-API-Key': this.merchant.api_key,
        'X-API-Secret': this.merchant.api_secret,
        'Idempotency-Key': order,
      },
      body: JSON.stringify({
        phone_number: phone,
        amount: 10,
        account_reference: 'DRILL',
        transaction_desc: 'Drill',
        order_id: order,
      }),
      signal: AbortSignal.timeout(60_000),
    });
    return { ok: response.ok, text: `${String(response.status)} ${await response.text()}` };
  }
}
