import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../domain/errors';
import type { Endpoint } from '../../rail-kit/endpoint';
import { findPayment } from '../../payments/read/payments';
import type { RailApi } from '../../rail-kit/rail';
import type { PaymentDraft } from '../../rail-kit/draft';
import type { PaymentRow } from '../../store/tables';
import { xbAbout } from './description';
import { apiRefOf } from './drafts';
import { xbPushBody, xbStatusQuery, type XbPushInput } from './requests';
import { acceptedBody, namesOf, statusBody } from './responses';

/** @param begin creates the draft of a payment, with its configured provider. */
export function xbEndpoints(api: RailApi, begin: (input: XbPushInput) => Promise<PaymentDraft>): Endpoint[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/xb/stk_push',
      access: 'keys',
      scope: 'collect',
      // One limit for both handset rails (specification, Limits).
      rateLimit: 'stk',
      input: xbPushBody,
      about: xbAbout.push,
      starts: true,
      async handle(call) {
        const input = call.input as unknown as XbPushInput;
        const { payment } = await api
          .accept(call, () => begin(input))
          .catch(async (error: unknown) => {
            throw await withInvoice(api, error);
          });
        return { status: 200, body: acceptedBody(payment) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/xb/stk_push/status',
      access: 'keys',
      scope: 'read',
      rateLimit: 'api',
      input: xbStatusQuery,
      about: xbAbout.status,
      starts: false,
      async handle({ merchant, input }) {
        const payment = await findOwn(api, merchant.merchant_id, input);
        if (!payment) throw new PaymentError('PAYMENT_NOT_FOUND');
        return { status: 200, body: statusBody(payment) };
      },
    },
  ];
}

/** An error contains the invoice id of its webhook: a merchant without an api_ref has no other id to match it by. */
async function withInvoice({ db }: RailApi, error: unknown): Promise<unknown> {
  const paymentId = error instanceof PaymentError ? error.options.extra?.['payment_id'] : undefined;
  // If the database is lost now, a known result must not become "nothing was started".
  const payment =
    paymentId === undefined ? undefined : await findPayment(db, paymentId).catch(() => undefined);
  if (!(error instanceof PaymentError) || payment?.rail !== 'xb') return error;
  const extra = { ...error.options.extra, ...namesOf(payment) };
  return new PaymentError(error.code, { message: error.message, ...error.options, extra, cause: error });
}

interface Names {
  invoice_id?: string;
  api_ref?: string;
  payment_id?: string;
}

/** The newest payment with that name: a merchant's api_ref may repeat. */
async function findOwn(
  api: RailApi,
  merchantId: string,
  { invoice_id: invoiceId, api_ref: apiRef, payment_id: paymentId }: Names,
): Promise<PaymentRow | undefined> {
  const own = api.db('payments').where({ merchant_id: merchantId, rail: 'xb' }).orderBy('created_at', 'desc');
  if (apiRef !== undefined) void own.where({ account_reference: apiRef });
  // Id columns are ASCII: the database cannot compare them with other characters.
  if (paymentId !== undefined) void own.where({ payment_id: isUuid(paymentId) ? paymentId : '' });
  if (invoiceId === undefined) return own.first();
  const named = await own.clone().where({ provider_reference: invoiceId }).first();
  if (named) return named;
  const ownName = /^[\x21-\x7e]{1,40}$/.test(invoiceId) ? apiRefOf(invoiceId) : '';
  return own.where({ callback_token: ownName }).first();
}
