/** Makes the calls in its input, one after the other, and writes the result of each. */
import { readFileSync } from 'node:fs';
import {
  createMalipo,
  eventPages,
  OutcomeUnknownError,
  RefusedError,
  type CallOptions,
} from '../../../../packages/clients/node/src/index';
import type { SentCall, Verdict } from '../languages';

async function verdictOf({ url, triesMax, operation, input, ...options }: SentCall): Promise<Verdict> {
  try {
    const malipo = createMalipo({
      baseUrl: url,
      apiKey: 'k',
      apiSecret: 's3cret',
      triesMax,
      firstPauseMs: 1,
    });
    if (operation === 'eventPages') {
      const pages: object[] = [];
      for await (const page of eventPages(malipo, input)) pages.push(page);
      return { kind: 'taken', body: { pages } };
    }
    const call = malipo[operation] as (input: object, options: CallOptions) => Promise<object>;
    return { kind: 'taken', body: await call(input, options) };
  } catch (error) {
    if (error instanceof RefusedError) {
      const { status, code, paymentId, requestId, retryAfterS, message } = error;
      return { kind: 'refused', status, code, paymentId: paymentId ?? null, requestId, retryAfterS, message };
    }
    if (error instanceof OutcomeUnknownError) {
      const { idempotencyKey, paymentId, requestId, message } = error;
      return {
        kind: 'unknown',
        idempotencyKey: idempotencyKey ?? null,
        paymentId: paymentId ?? null,
        requestId: requestId ?? null,
        message,
      };
    }
    return { kind: 'misuse', message: String(error) };
  }
}

async function main(): Promise<void> {
  const verdicts: Verdict[] = [];
  for (const call of JSON.parse(readFileSync(0, 'utf8')) as SentCall[]) verdicts.push(await verdictOf(call));
  process.stdout.write(JSON.stringify(verdicts));
}

void main();
