/** The calls about events: one event, sending it again, and the provider's own check of a signature. */
import type { Request } from 'express';
import type { Answer } from '../../../calls';
import { recordOf, textOf } from '../../../fields';
import { notFound } from '../errors';
import type { WalletpaySettings } from '../settings';
import type { Certificates } from './certificates';
import type { Events } from './events';
import { isOwnSignature } from './signature';

export interface EventCallParts {
  settings: WalletpaySettings;
  certificates: Certificates;
  events: Events;
}

const idIn = ({ params }: Request) => textOf(params['id']);

export function openEventCalls({ settings, certificates, events }: EventCallParts) {
  return {
    query(request: Request): Answer {
      const event = events.find(idIn(request));
      return event ? { status: 200, json: JSON.parse(event.text) as unknown } : notFound();
    },
    async resend(request: Request): Promise<Answer> {
      const event = events.find(idIn(request));
      if (!event) return notFound();
      await events.sendAgain(event);
      return { status: 202, json: JSON.parse(event.text) as unknown };
    },
    /** The event is written out again before it is checked, so one whose JSON was spaced differently fails. */
    verify({ body }: Request): Answer {
      const fields = recordOf(body);
      const transmission = {
        id: textOf(fields['transmission_id']),
        time: textOf(fields['transmission_time']),
        webhookId: textOf(fields['webhook_id']),
      };
      const isRight =
        transmission.webhookId === settings.webhookId &&
        fields['auth_algo'] === 'SHA256withRSA' &&
        isOwnSignature(
          transmission,
          JSON.stringify(fields['webhook_event'] ?? {}),
          textOf(fields['transmission_sig']),
          certificates,
        );
      return { status: 200, json: { verification_status: isRight ? 'SUCCESS' : 'FAILURE' } };
    },
  };
}

export type EventCalls = ReturnType<typeof openEventCalls>;
