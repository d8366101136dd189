import { createHash } from 'node:crypto';
import { cutText } from '../../domain/cut-text';
import type {
  NotificationRequest,
  NotificationRoute,
  RailApi,
  ReceivedNotification,
} from '../../rail-kit/rail';
import type { PaymentRow } from '../../store/tables';
import { isAllowedAddress } from '../../merchants/ip-allow-list';
import { storeReportedBalance } from '../../rail-kit/provider-wallets';
import { stkNotificationAbout } from './description';
import { readBalanceResult } from './providers/daraja/account-balance';
import { readCallback } from './providers/daraja/notification-body';
import { darajaStatement } from './providers/daraja/statement';
import { originalIdOf, readStatusResult } from './providers/daraja/transaction-status';

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
 * The provider does not sign its callbacks. A random token per payment in the path identifies the payment, and the
 * CheckoutRequestID must be the one from the submission. A success also needs the provider's answer to a status query
 * before money moves.
 */
export function stkNotifications(api: RailApi, allowedAddresses: string[]): NotificationRoute[] {
  /** @returns the random part of the called address, or why the notification is rejected. */
  function tokenOf({ clientAddress, params }: NotificationRequest): string | ReceivedNotification {
    if (!isAllowedAddress(clientAddress, allowedAddresses)) {
      return refused(403, `${clientAddress} is not one of the provider's addresses`);
    }
    const token = params['token'] ?? '';
    return /^[0-9a-f]{32}$/.test(token) ? token : refused(404, 'not a path token');
  }

  return [
    {
      method: 'POST',
      path: `${notificationPath}/:token`,
      about: stkNotificationAbout('stkResult', 'Receive the result of a payment'),
      async receive(request: NotificationRequest) {
        const token = tokenOf(request);
        if (typeof token !== 'string') return token;
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
          return refused(400, `the CheckoutRequestID does not belong to payment ${payment.payment_id}`);
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
    {
      method: 'POST',
      path: `${notificationPath}/receipt/:token`,
      about: stkNotificationAbout('stkReceipt', 'Receive the requested receipt of a payment'),
      async receive(request) {
        const token = tokenOf(request);
        if (typeof token !== 'string') return token;
        const payment = await api
          .db('payments')
          .join('missing_receipts as missing', 'missing.payment_id', 'payments.payment_id')
          .where({ 'missing.token': token, 'payments.rail': 'stk' })
          .first<PaymentRow | undefined>('payments.*');
        if (!payment) return refused(404, 'no receipt is requested');
        const body = request.rawBody.toString('utf8');
        const result = readStatusResult(body);
        if (!result) return refused(400, 'not a result');
        const original = result.parameters['OriginatorConversationID'];
        if (original !== undefined && original !== originalIdOf(payment)) {
          return refused(400, `the result does not belong to payment ${payment.payment_id}`);
        }
        const isNamed = original !== undefined;
        return {
          kind: 'take',
          isProven: true,
          payment,
          eventKey: `${payment.payment_id}:${createHash('sha256').update(request.rawBody).digest('hex')}`,
          body,
          acknowledgement: accepted,
          ...(isNamed
            ? {}
            : { ignoredBecause: cutText(`the result names no payment: ${result.code} ${result.text}`, 200) }),
        };
      },
    },
    {
      method: 'POST',
      path: `${notificationPath}/no-receipt/:token`,
      about: stkNotificationAbout('stkNoReceipt', 'Receive the timeout of a receipt request'),
      // The service requests it again in any case.
      receive: () => Promise.resolve({ kind: 'answer', ...accepted }),
    },
    {
      method: 'POST',
      path: `${notificationPath}/balance/:token`,
      about: stkNotificationAbout('stkBalance', 'Receive the requested account balance'),
      async receive(request) {
        const token = tokenOf(request);
        if (typeof token !== 'string') return token;
        const reported = readBalanceResult(request.rawBody.toString('utf8'));
        if (!reported) return refused(400, 'not a result');
        const isOurs = await storeReportedBalance(
          api.db,
          { provider: darajaStatement.provider, token },
          reported,
        );
        return isOurs ? { kind: 'answer', ...accepted } : refused(404, 'no balance is requested');
      },
    },
    {
      method: 'POST',
      path: `${notificationPath}/no-balance/:token`,
      about: stkNotificationAbout('stkNoBalance', 'Receive the timeout of a balance request'),
      // The service requests it again in any case.
      receive: () => Promise.resolve({ kind: 'answer', ...accepted }),
    },
  ];
}
