/** PayPal-Request-Id: the same id of the same call gives the first result again, whatever the body says. */
import type { Request } from 'express';
import type { Answer } from '../../calls';
import type { Clock } from '../../clock';
import type { Journal } from '../../journal';
import { refusal } from './errors';

/** A success, as it will be told again. */
export type Success = Extract<Answer, { json: unknown }>;

interface Remembered {
  json: unknown;
  forgottenAt: number;
}

export interface RequestIds {
  /**
   * @param call the same key means nothing to another call
   * @param act only its success is remembered: what was refused may be tried again with the same key
   */
  once(
    request: Request,
    call: string,
    keptMs: number,
    act: () => Answer | Promise<Answer | Remarkable>,
  ): Promise<Answer>;
}

/** What happened is remembered, but something else is answered. */
export interface Remarkable {
  happened: Success;
  answered: Answer;
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
      if (known && known.forgottenAt > clock.now()) return { status: 200, json: known.json };

      const result = await act();
      const { happened, answered } = 'happened' in result ? result : { happened: result, answered: result };
      if (key !== undefined && 'json' in happened && happened.status < 300) {
        remembered.put(id, { json: happened.json, forgottenAt: clock.now() + keptMs });
      }
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
