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
import { keepBalanceTold } from '../../rail-kit/provider-wallets';
import { stkNotificationAbout } from './description';
import { readBalanceResult } from './providers/daraja/account-balance';
import { readCallback } from './providers/daraja/callback-body';
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
 * The provider does not sign its callbacks. A random token per payment in the path says which payment is meant, the
 * CheckoutRequestID must be the one we were given, and a success still needs the provider's own word before money moves.
 */
export function stkNotifications(api: RailApi, allowedAddresses: string[]): NotificationRoute[] {
  /** @returns the random part of the address that was called, or why it is not looked at. */
  function tokenOf({ clientAddress, params }: NotificationRequest): string | ReceivedNotification {
    if (!isAllowedAddress(clientAddress, allowedAddresses)) {
      return refused(403, `address ${clientAddress} is not one of the provider's`);
    }
    const token = params['token'] ?? '';
    return /^[0-9a-f]{32}$/.test(token) ? token : refused(404, 'not a path token');
  }

  return [
    {
      method: 'POST',
      path: `${notificationPath}/:token`,
      about: stkNotificationAbout('stkResult', 'What became of a payment'),
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
    {
      method: 'POST',
      path: `${notificationPath}/receipt/:token`,
      about: stkNotificationAbout('stkReceipt', 'The receipt of a payment, which was asked for'),
      async receive(request) {
        const token = tokenOf(request);
        if (typeof token !== 'string') return token;
        const payment = await api
          .db('payments')
          .join('missing_receipts as missing', 'missing.payment_id', 'payments.payment_id')
          .where({ 'missing.token': token, 'payments.rail': 'stk' })
          .first<PaymentRow | undefined>('payments.*');
        if (!payment) return refused(404, 'no receipt is asked for');
        const body = request.rawBody.toString('utf8');
        const result = readStatusResult(body);
        if (!result) return refused(400, 'not a result');
        const original = result.parameters['OriginatorConversationID'];
        if (original !== undefined && original !== originalIdOf(payment)) {
          return refused(400, `the result is not of payment ${payment.payment_id}`);
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
            : { ignoredBecause: cutText(`no payment is named: ${result.code} ${result.text}`, 200) }),
        };
      },
    },
    {
      method: 'POST',
      path: `${notificationPath}/no-receipt/:token`,
      about: stkNotificationAbout('stkNoReceipt', 'That a receipt could not be told in time'),
      // It is asked for again in any case.
      receive: () => Promise.resolve({ kind: 'answer', ...accepted }),
    },
    {
      method: 'POST',
      path: `${notificationPath}/balance/:token`,
      about: stkNotificationAbout('stkBalance', 'What the account holds, which was asked for'),
      async receive(request) {
        const token = tokenOf(request);
        if (typeof token !== 'string') return token;
        const told = readBalanceResult(request.rawBody.toString('utf8'));
        if (!told) return refused(400, 'not a result');
        const isOurs = await keepBalanceTold(api.db, { provider: darajaStatement.provider, token }, told);
        return isOurs ? { kind: 'answer', ...accepted } : refused(404, 'no balance is asked for');
      },
    },
    {
      method: 'POST',
      path: `${notificationPath}/no-balance/:token`,
      about: stkNotificationAbout('stkNoBalance', 'That a balance could not be told in time'),
      // It is asked for again in any case.
      receive: () => Promise.resolve({ kind: 'answer', ...accepted }),
    },
  ];
}
