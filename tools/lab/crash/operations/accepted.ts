/** Operations that begin with a request which starts something: those of test/support/acceptances.ts. */
import { randomUUID } from 'node:crypto';
import type { PaymentState } from '../../../../src/domain/payment';
import {
  acceptances,
  bulkAcceptances,
  toldIdOf,
  voucherAcceptances,
  type Acceptance,
} from '../../../../test/support/acceptances';
import { call, type ApiAnswer } from '../../../../test/support/merchant-client';
import type { Lane } from '../support/lane';
import type { Operation } from './operation';

const known: Record<string, Acceptance> = { ...acceptances, ...bulkAcceptances, ...voucherAcceptances };

export interface Accepted {
  /** What is asked for, by the name it has among the acceptances. */
  what: string;
  changes?: Record<string, unknown>;
  ends: readonly PaymentState[];
  /** The provider sends no callback. */
  isNeverTold?: true;
  acts?(lane: Lane, id: string): Promise<void>;
}

/** Codes of answers that tell to come back with the same request. */
const comeBack = new Set([
  'ACCEPTANCE_UNKNOWN',
  'REQUEST_IN_PROGRESS',
  'SERVICE_BUSY',
  'SERVICE_UNAVAILABLE',
  'PROCESSOR_FAILURE',
]);

export function accepted(name: string, { what, changes, ends, isNeverTold, acts }: Accepted): Operation {
  const acceptance = known[what];
  if (!acceptance) throw new Error(`there is no acceptance of ${what}`);
  return {
    name,
    async begin(lane, trial) {
      const body = { ...(await acceptance.request(lane.stack, lane.merchant, trial)), ...changes };
      const key = randomUUID();
      return {
        ask: () => ask(lane, acceptance.path, body, key),
        ...(acts && { acts: (id: string) => acts(lane, id) }),
        living: () => acceptance.living(lane.stack.db, body),
        ends,
        ...(isNeverTold && { isNeverTold }),
      };
    },
  };
}

/** @throws where the answer is neither an acceptance nor a request to come back. */
async function ask(
  { stack, merchant }: Lane,
  path: string,
  body: object,
  key: string,
): Promise<string | undefined> {
  const answer = await orNone(call(stack, merchant, 'POST', path, body, { 'Idempotency-Key': key }));
  if (!answer || comeBack.has(answer.body.code ?? '')) return undefined;
  if (answer.status !== 200) throw new Error(`was answered ${JSON.stringify(answer.body)}`);
  // What has just been accepted may not be written with its provider's reference yet.
  return toldIdOf(stack.db, answer);
}

/** Who is not answered at all asks again; an answer that nobody has described is none that a merchant can come back with. */
export const orNone = (answer: Promise<ApiAnswer>): Promise<ApiAnswer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('answered otherwise')) throw error;
    return undefined;
  });
