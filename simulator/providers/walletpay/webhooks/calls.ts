/** The calls for events: one event, resending it, and the provider's own signature check. */
import type { Request } from 'express';
import type { CallResponse } from '../../../calls';
import { isRecord, recordOf, textOf } from '../../../fields';
import { notFound, denial, type Detail } from '../errors';
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
    query(request: Request): CallResponse {
      const event = events.find(idIn(request));
      return event ? { status: 200, json: JSON.parse(event.text) as unknown } : notFound();
    },
    async resend(request: Request): Promise<CallResponse> {
      const event = events.find(idIn(request));
      if (!event) return notFound();
      await events.sendAgain(event);
      return { status: 202, json: JSON.parse(event.text) as unknown };
    },
    /** The event is serialised again before the check, so other spacing in its JSON fails. */
    verify({ body }: Request): CallResponse {
      const fields = recordOf(body);
      const faults = faultsOfVerification(fields);
      if (faults.length > 0) return denial('VALIDATION_ERROR', faults);
      const reported = (name: string) => textOf(fields[name]);
      const transmission = {
        id: reported('transmission_id'),
        time: reported('transmission_time'),
        webhookId: reported('webhook_id'),
      };
      const certificate = certificates.genuine(reported('cert_url').split('/').at(-1) ?? '');
      const isRight =
        certificate !== undefined &&
        transmission.webhookId === settings.webhookId &&
        reported('auth_algo') === 'SHA256withRSA' &&
        isOwnSignature(
          transmission,
          JSON.stringify(fields['webhook_event']),
          reported('transmission_sig'),
          certificate,
        );
      return { status: 200, json: { verification_status: isRight ? 'SUCCESS' : 'FAILURE' } };
    },
  };
}

export type EventCalls = ReturnType<typeof openEventCalls>;

/** The most characters (Webhooks v1, verify_webhook_signature_post). */
const LENGTHS = {
  auth_algo: 100,
  cert_url: 500,
  transmission_id: 50,
  transmission_sig: 500,
  transmission_time: 100,
  webhook_id: 50,
};

function faultsOfVerification(fields: Record<string, unknown>): Detail[] {
  const fault = (field: string, issue: string): Detail => ({ field: `/${field}`, location: 'body', issue });
  const faults = Object.entries(LENGTHS).flatMap(([field, lengthMax]) => {
    const value = fields[field];
    if (typeof value !== 'string' || value === '') return [fault(field, 'MISSING_REQUIRED_PARAMETER')];
    return value.length > lengthMax ? [fault(field, 'INVALID_STRING_LENGTH')] : [];
  });
  if (!isRecord(fields['webhook_event'])) faults.push(fault('webhook_event', 'MISSING_REQUIRED_PARAMETER'));
  return faults;
}
