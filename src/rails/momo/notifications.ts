import { createHash } from 'node:crypto';
import { validate as isUuid } from 'uuid';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import { landingAbout, transactionNotificationAbout } from './description';
import { faultOfSignature } from './providers/pawapay/signature';
import { readTransaction, recordOf } from './providers/pawapay/transaction';
import { wireJson } from '../../rail-kit/wire-json';

export const notificationPath = '/in/momo';
/** The provider name of other rails' payments that use this account. */
export const accountProvider = 'pawapay';
/**
 * The page for a customer who returns from a provider's page, if the merchant has none. It says nothing about the
 * outcome.
 */
export const landingPath = '/momo/done';

const refused = (code: ErrorCode, why: string): ReceivedNotification => ({
  kind: 'refuse',
  error: new PaymentError(code),
  why,
});

interface Verification {
  /** The base of the address that the provider was given: its signature covers the address. */
  publicUrl: string;
  /** Undefined if the account does not sign callbacks: a success is then confirmed by the status call. */
  findKey: ((keyId: string) => Promise<string | undefined>) | undefined;
}

/** One address for deposits, payouts and refunds: the id in the body identifies the payment. */
export function momoNotifications(api: RailApi, verification: Verification): NotificationRoute[] {
  return [
    {
      method: 'GET',
      path: landingPath,
      about: landingAbout,
      receive: () =>
        Promise.resolve({
          kind: 'answer',
          isFree: true,
          status: 200,
          body: 'Thank you. You can close this page. The shop will tell you the result.',
        }),
    },
    notificationOf(api, notificationPath, verification, 'momoNotification'),
  ];
}

/** A route for all payments of the account: its provider has one address per kind of payment, for every rail. */
export function notificationOf(
  api: RailApi,
  path: string,
  { publicUrl, findKey }: Verification,
  id: string,
): NotificationRoute {
  return {
    method: 'POST',
    path,
    about: transactionNotificationAbout(id),
    async receive({ headers, rawBody }) {
      if (findKey) {
        const url = `${publicUrl}${path}`;
        const fault = await faultOfSignature({ method: 'POST', url, headers, rawBody }, findKey);
        if (fault !== undefined) return refused('INVALID_SIGNATURE', fault);
      }
      const body = rawBody.toString('utf8');
      const event = wireJson(body);
      if (!readTransaction(event)) {
        if (typeof recordOf(event)['statementId'] !== 'string')
          return refused('INVALID_EVENT', 'not a transaction');
        // A statement is ready or has failed. The job that requested it polls, and needs no notification.
        return { kind: 'answer', status: 200, body: { success: true }, ...(findKey && { isFree: true }) };
      }
      const payment = await matchNotification(api.db, body);
      return {
        kind: 'take',
        isProven: findKey !== undefined,
        eventKey: createHash('sha256').update(rawBody).digest('hex'),
        body,
        acknowledgement: { status: 200, body: { success: true } },
        ...(payment ? { payment } : {}),
      };
    },
  };
}

/** The payment with the id in the body: of this rail, or of another rail that uses the account. */
export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const id = readTransaction(wireJson(body))?.id ?? '';
  if (!isUuid(id)) return undefined;
  return db('payments')
    .where({ payment_id: id })
    .where((owner) => void owner.where({ rail: 'momo' }).orWhere({ provider: accountProvider }))
    .first('payment_id', 'workflow_id');
}
