/**
 * PayPal-Request-Id: the same id of the same call returns the first result again, whatever the body and later changes:
 * a declined instrument is declined again (see the adapter's README).
 */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import type { Clock } from '../../clock';
import type { Journal } from '../../journal';
import { denial } from './errors';

/** A success, which is repeated. */
export type Success = Extract<CallResponse, { json: unknown }>;

interface Remembered {
  json: unknown;
  /** For an error; a completed action is answered again with 200. */
  refusedWith?: number;
  forgottenAt: number;
}

export interface RequestIds {
  /**
   * @param call the same key is independent in another call
   * @param act only errors that say so are remembered: others may be retried with the same key
   */
  once(
    request: Request,
    call: string,
    keptMs: number,
    act: () => CallResponse | Promise<CallResponse | Remarkable | Final>,
  ): Promise<CallResponse>;
}

/** The result is remembered, but the answer is another. */
export interface Remarkable {
  happened: Success;
  answered: CallResponse;
}

/** An error that a repeated key returns again. */
export interface Final {
  refused: CallResponse;
}

const LENGTH_MAX = 108;

export function openRequestIds(journal: Journal, clock: Clock): RequestIds {
  const remembered = journal.collection<Remembered>('walletpay.request-ids');
  return {
    async once(request, call, keptMs, act) {
      const key = request.get('paypal-request-id');
      if (key !== undefined && (key === '' || key.length > LENGTH_MAX)) return tooLong(key);
      const id = `${call}:${key ?? ''}`;
      const known = key === undefined ? undefined : remembered.get(id);
      if (known && known.forgottenAt > clock.now()) {
        return { status: known.refusedWith ?? 200, json: known.json };
      }
      const keep = (answer: CallResponse, isKept: boolean) => {
        if (key === undefined || !isKept || !('json' in answer)) return;
        const { json, status } = answer;
        const refused = status < 300 ? {} : { refusedWith: status };
        remembered.put(id, { json, ...refused, forgottenAt: clock.now() + keptMs });
      };

      const result = await act();
      if ('refused' in result) {
        keep(result.refused, true);
        return result.refused;
      }
      const { happened, answered } = 'happened' in result ? result : { happened: result, answered: result };
      keep(happened, 'json' in happened && happened.status < 300);
      return answered;
    },
  };
}

const tooLong = (value: string) =>
  denial('INVALID_REQUEST', [
    {
      field: 'PayPal-Request-Id',
      value,
      location: 'header',
      issue: 'INVALID_STRING_LENGTH',
      description: 'The value of a field is either too short or too long.',
    },
  ]);
