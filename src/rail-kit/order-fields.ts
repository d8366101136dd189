/** What every webhook, event and status tells beside the rail's own fields: of which type it is, and which change it tells. */
import { eventTypes, type EventType } from '../domain/event';
import { count, word } from './answer-fields';

export const sequenceField = {
  sequence: count(
    'Which change of the payment this tells: of two about the same payment, the higher number is the later. It rises with each change of its status or its money; gaps are normal',
    3,
  ),
};

/** @param callbackType of the rail's webhooks */
export const eventFields = (callbackType: string) => ({
  event_type: word(
    eventTypes as [EventType, ...EventType[]],
    'What became of the payment: the type of the event',
    {
      example: 'deposit.succeeded',
    },
  ),
  callback_type: word([callbackType], 'As the `X-Callback-Type` header has it, which no signature covers'),
});

/** A webhook's body as its rail writes it; the engine adds the rest (moves/tell-merchant.ts). */
export type RailBody<B> = Omit<B, keyof ReturnType<typeof eventFields> | keyof typeof sequenceField>;
