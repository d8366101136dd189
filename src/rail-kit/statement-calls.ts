/** What the calls for a provider's statement have in common: they only read, so that they are repeated patiently. */
import { setTimeout as delay } from 'node:timers/promises';
import type { NotFetched, StatementCall } from '../reconciliation/statement-source';
import type { ProviderAnswer } from './provider-http';

type Answer = ProviderAnswer | { kind: 'account_refused'; text: string };

/** Milliseconds that one request of many may take. */
export const statementRequestMs = 30_000;
/** Before each repetition; whoever is still busy after them is asked another time. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];

/** Asks again where the provider is busy, down or not reached. @returns its last answer. */
export async function askPatiently<A extends Answer>(
  ask: () => Promise<A>,
  { alive, signal }: StatementCall,
  timeScale: number,
): Promise<A> {
  for (let repeated = 0; ; repeated += 1) {
    signal.throwIfAborted();
    alive();
    const answer = await ask();
    const pauseMs = pausesMs[repeated];
    if (pauseMs === undefined || !mayPass(answer)) return answer;
    await delay(pauseMs / timeScale, undefined, { signal });
  }
}

function mayPass(answer: Answer): boolean {
  if (answer.kind === 'answered') return answer.status === 429 || answer.status >= 500;
  return answer.kind !== 'account_refused';
}

/**
 * What an answer that is no statement says.
 * @param credentials where they are mended: the settings, or the page of the provider.
 */
export function notFetched(answer: Answer, credentials: string): NotFetched {
  if (answer.kind === 'account_refused')
    return { kind: 'refused', text: `the provider refuses our credentials: see ${credentials}` };
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: `no answer (${answer.text})` };
  const { status } = answer;
  if (status === 401 || status === 403)
    return {
      kind: 'refused',
      text: `the account may not ask for it (HTTP ${String(status)}): see ${credentials}`,
    };
  const text = `the provider answers HTTP ${String(status)}`;
  const isFinal = status >= 400 && status < 500 && status !== 429 && status !== 408;
  return { kind: isFinal ? 'refused' : 'unavailable', text };
}
