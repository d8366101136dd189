/** The common part of the calls for a provider's statement: they only read, so they are repeated patiently. */
import { setTimeout as delay } from 'node:timers/promises';
import type { NotFetched, StatementCall } from '../reconciliation/statement-source';
import type { ProviderResponse } from './provider-http';

type Answer = ProviderResponse | { kind: 'account_refused'; text: string };

/** Milliseconds that one of several requests may take. */
export const statementRequestMs = 30_000;
/** The pause before each retry; a provider that is still busy after them is called another time. */
const pausesMs = [1_000, 2_000, 4_000, 8_000];

/** Repeats the call where the provider is busy, down or not reached. @returns its last answer. */
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
 * The meaning of an answer that is no statement.
 * @param credentials where to correct them: the settings, or the provider's page.
 */
export function notFetched(answer: Answer, credentials: string): NotFetched {
  if (answer.kind === 'account_refused')
    return { kind: 'refused', text: `the provider rejects our credentials: see ${credentials}` };
  if (answer.kind !== 'answered') return { kind: 'unavailable', text: `no answer (${answer.text})` };
  const { status } = answer;
  if (status === 401 || status === 403)
    return {
      kind: 'refused',
      text: `the account has no permission for statements (HTTP ${String(status)}): see ${credentials}`,
    };
  const text = `the provider answers HTTP ${String(status)}`;
  const isFinal = status >= 400 && status < 500 && status !== 429 && status !== 408;
  return { kind: isFinal ? 'refused' : 'unavailable', text };
}
