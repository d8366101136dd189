import { createHash } from 'node:crypto';
import { validate as isUuid } from 'uuid';
import { PaymentError, type ErrorCode } from '../../domain/errors';
import type { NotificationRoute, NotifiedPayment, RailApi, ReceivedNotification } from '../../rail-kit/rail';
import type { Database } from '../../store/database';
import { landingAbout, transactionNotificationAbout } from './description';
import { faultOfSignature } from './providers/pawapay/signature';
import { readTransaction, recordOf } from './providers/pawapay/transaction';

export const notificationPath = '/in/momo';
/** What payments of other rails name as their provider that go through the account. */
export const accountProvider = 'pawapay';
/** Where a customer lands after a provider's page when the merchant has none: it says nothing about the outcome. */
export const landingPath = '/momo/done';

const refused = (code: ErrorCode, why: string): ReceivedNotification => ({
  kind: 'refuse',
  error: new PaymentError(code),
  why,
});

interface Verification {
  /** The base of the address the provider was given: its signature covers it. */
  publicUrl: string;
  /** Undefined where the account does not sign: a success is then confirmed by the status call. */
  findKey: ((keyId: string) => Promise<string | undefined>) | undefined;
}

/** One address for deposits, payouts and refunds: the id in the body says which payment is meant. */
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
          body: 'Thank you. You can close this page; the shop will tell you how it went.',
        }),
    },
    notificationOf(api, notificationPath, verification, 'momoNotification'),
  ];
}

/** A route for all that goes through the account: its provider has one address for each kind of payment, whoever's it is. */
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
      const event = parsed(body);
      if (!readTransaction(event)) {
        if (typeof recordOf(event)['statementId'] !== 'string')
          return refused('INVALID_EVENT', 'not a transaction');
        // A statement has been made, or cannot be: whoever asked for it looks without being told.
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

/** The payment that the id in the body names: of this rail, or of one that was lent the account. */
export async function matchNotification(db: Database, body: string): Promise<NotifiedPayment | undefined> {
  const id = readTransaction(parsed(body))?.id ?? '';
  if (!isUuid(id)) return undefined;
  return db('payments')
    .where({ payment_id: id })
    .where((owner) => void owner.where({ rail: 'momo' }).orWhere({ provider: accountProvider }))
    .first('payment_id', 'workflow_id');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
