/**
 * PayPal-Request-Id: the same id of the same call gives the first result again, whatever the body says and whatever has
 * changed meanwhile: an instrument that was declined is declined again (see the adapter's README).
 */
import type { Request } from 'express';
import type { Answer } from '../../calls';
import type { Clock } from '../../clock';
import type { Journal } from '../../journal';
import { refusal } from './errors';

/** A success, as it will be told again. */
export type Success = Extract<Answer, { json: unknown }>;

interface Remembered {
  json: unknown;
  /** Of a refusal; what was done is told again with 200. */
  refusedWith?: number;
  forgottenAt: number;
}

export interface RequestIds {
  /**
   * @param call the same key means nothing to another call
   * @param act of its refusals only those are remembered that say so: others may be tried again with the same key
   */
  once(
    request: Request,
    call: string,
    keptMs: number,
    act: () => Answer | Promise<Answer | Remarkable | Final>,
  ): Promise<Answer>;
}

/** What happened is remembered, but something else is answered. */
export interface Remarkable {
  happened: Success;
  answered: Answer;
}

/** A refusal that whoever repeats the key is given again. */
export interface Final {
  refused: Answer;
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
      const keep = (answer: Answer, isKept: boolean) => {
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
  refusal('INVALID_REQUEST', [
    {
      field: 'PayPal-Request-Id',
      value,
      location: 'header',
      issue: 'INVALID_STRING_LENGTH',
      description: 'The value of a field is either too short or too long.',
    },
  ]);
