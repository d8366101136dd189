import { createHash } from 'node:crypto';
import type {
  NotificationRequest,
  NotificationRoute,
  RailApi,
  ReceivedNotification,
} from '../../payments/rail';
import { isAllowedAddress } from '../../merchants/ip-allow-list';
import { readCallback } from './providers/daraja/callback-body';

/** The provider's acknowledgement, and its opposite. */
const accepted = { status: 200, body: { ResultCode: 0, ResultDesc: 'Accepted' } };
const refused = (status: number, why: string): ReceivedNotification => ({
  kind: 'refuse',
  status,
  body: { ResultCode: 1, ResultDesc: 'Rejected' },
  why,
});

export const notificationPath = '/in/stk';

/**
 * The provider does not sign its callbacks. A random token per payment in the path says which payment is meant, the
 * CheckoutRequestID must be the one we were given, and a success still needs the provider's own word before money moves.
 */
export function stkNotifications(api: RailApi, allowedAddresses: string[]): NotificationRoute[] {
  return [
    {
      method: 'POST',
      path: `${notificationPath}/:token`,
      async receive(request: NotificationRequest) {
        if (!isAllowedAddress(request.clientAddress, allowedAddresses)) {
          return refused(403, `address ${request.clientAddress} is not one of the provider's`);
        }
        const token = request.params['token'] ?? '';
        if (!/^[0-9a-f]{32}$/.test(token)) return refused(404, 'not a path token');
        const payment = await api
          .db('payments')
          .where({ callback_token: token, rail: 'stk' })
          .first('payment_id', 'workflow_id', 'provider_reference');
        if (!payment) return refused(404, 'unknown path token');
        const body = request.rawBody.toString('utf8');
        const callback = readCallback(body);
        if (!callback) return refused(400, 'not a callback');
        if (
          payment.provider_reference !== null &&
          callback.checkoutRequestId !== payment.provider_reference
        ) {
          return refused(400, `the CheckoutRequestID is not of payment ${payment.payment_id}`);
        }
        return {
          kind: 'take',
          isProven: true,
          payment,
          eventKey: `${payment.payment_id}:${createHash('sha256').update(request.rawBody).digest('hex')}`,
          body,
          acknowledgement: accepted,
        };
      },
    },
  ];
}
