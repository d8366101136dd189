/** Operations that begin with a request: those of test/support/creation-requests.ts. */
import { randomUUID } from 'node:crypto';
import type { PaymentState } from '../../../../src/domain/payment';
import {
  acceptances,
  bulkAcceptances,
  answeredIdOf,
  voucherAcceptances,
  type CreationRequest,
} from '../../../../test/support/creation-requests';
import { call, type ApiAnswer } from '../../../../test/support/merchant-client';
import type { TestRig } from '../support/test-rig';
import type { Operation } from './operation';

const known: Record<string, CreationRequest> = { ...acceptances, ...bulkAcceptances, ...voucherAcceptances };

export interface Accepted {
  /** The request, by its name in that file. */
  what: string;
  changes?: Record<string, unknown>;
  ends: readonly PaymentState[];
  /** The provider sends no notification. */
  isNeverReported?: true;
  acts?(rig: TestRig, id: string): Promise<void>;
}

/** Codes of answers that ask for the same request again. */
const comeBack = new Set([
  'ACCEPTANCE_UNKNOWN',
  'REQUEST_IN_PROGRESS',
  'SERVICE_BUSY',
  'SERVICE_UNAVAILABLE',
  'PROCESSOR_FAILURE',
]);

export function accepted(name: string, { what, changes, ends, isNeverReported, acts }: Accepted): Operation {
  const submissionResult = known[what];
  if (!submissionResult) throw new Error(`there is no request ${what}`);
  return {
    name,
    async begin(rig, trial) {
      const body = {
        ...(await submissionResult.request(rig.stack, rig.merchant, trial)),
        ...changes,
      };
      const key = randomUUID();
      let last = 'nothing';
      return {
        ask: () =>
          ask(rig, submissionResult.path, body, key, (got) => {
            last = got;
          }),
        lastAnswer: () => last,
        ...(acts && { acts: (id: string) => acts(rig, id) }),
        living: () => submissionResult.living(rig.stack.db, body),
        ends,
        ...(isNeverReported && { isNeverReported }),
      };
    },
  };
}

/**
 * @param got receives what came back, also if it asks to try again.
 * @throws if the answer is neither a success nor a request to try again.
 */
async function ask(
  { stack, merchant }: TestRig,
  path: string,
  body: object,
  key: string,
  got: (what: string) => void,
): Promise<string | undefined> {
  got('none yet');
  const sent = call(stack, merchant, 'POST', path, body, { 'Idempotency-Key': key });
  sent.catch((error: unknown) => {
    got(error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error));
  });
  const answer = await orNone(sent);
  if (!answer) return undefined;
  got(`${String(answer.status)} ${JSON.stringify(answer.body)}`);
  if (comeBack.has(answer.body.code ?? '')) return undefined;
  if (answer.status !== 200) throw new Error(`was answered ${JSON.stringify(answer.body)}`);
  // A payment that was just accepted may not have its provider's reference yet.
  return answeredIdOf(stack.db, answer);
}

/** Without an answer the merchant tries again; an undescribed answer cannot be handled by a merchant. */
export const orNone = (answer: Promise<ApiAnswer>): Promise<ApiAnswer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error && error.message.includes('answered otherwise')) throw error;
    return undefined;
  });
