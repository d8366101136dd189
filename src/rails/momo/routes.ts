import type { Cancellation } from '../../domain/commands';
import { PaymentError } from '../../domain/errors';
import { isFinal } from '../../domain/payment';
import { bulkEndpoints } from '../../payments/create/bulk/endpoints';
import type { EndpointResponse, Endpoint } from '../../rail-kit/endpoint';
import { getMerchantPaymentOrThrow } from '../../payments/read/payments';
import type { RailApi, Refunding } from '../../rail-kit/rail';
import { refundBody } from '../../payments/create/refund-request';
import type { PaymentRow } from '../../store/tables';
import { momoBulk } from './bulk';
import { chooseNetwork } from './choose-network';
import { depositDraft, payoutDraft } from './drafts';
import { momoAbout } from './description';
import type { NetworkDirectory } from './network';
import { depositBody, payoutBody, providersQuery, transactionQuery, type TransferInput } from './requests';
import {
  acceptedBody,
  cancelledBody,
  providersBody,
  refundBody as refundAnswer,
  statusBody,
} from './responses';

interface Dependencies {
  directory: NetworkDirectory;
  /** The page for a customer who returns from a provider's page, if the merchant has none. */
  landingUrl: string;
  refund: Refunding;
}

/** For a payout that has ended, no query is needed. */
const endOf = ({ state }: PaymentRow): Cancellation => (state === 'cancelled' ? 'cancelled' : 'too_late');

const ok = (body: EndpointResponse['body']): EndpointResponse => ({ status: 200, body });

export function momoEndpoints(api: RailApi, { directory, landingUrl, refund }: Dependencies): Endpoint[] {
  const shared = { access: 'headers', rateLimit: 'api' } as const;
  const post = { ...shared, method: 'POST', starts: true } as const;
  const get = { ...shared, method: 'GET', scope: 'read', starts: false } as const;
  const ownPayment = (merchantId: string, id: unknown) =>
    getMerchantPaymentOrThrow(api.db, merchantId, 'momo', String(id));

  return [
    {
      ...post,
      path: '/api/v1/momo/deposit',
      scope: 'collect',
      input: depositBody,
      about: momoAbout.deposit,
      async handle(call) {
        const input = call.input as unknown as TransferInput;
        const { payment } = await api.accept(call, async () => {
          const chosen = await chooseNetwork(directory, input, 'deposit');
          return depositDraft(call.merchant, input, chosen, landingUrl);
        });
        return ok(acceptedBody(payment));
      },
    },
    {
      ...post,
      path: '/api/v1/momo/payout',
      scope: 'payout',
      input: payoutBody,
      about: momoAbout.payout,
      async handle(call) {
        const input = call.input as unknown as TransferInput;
        const { payment } = await api.accept(call, async () => {
          const chosen = await chooseNetwork(directory, input, 'payout');
          return payoutDraft(call.merchant, input, chosen);
        });
        return ok(acceptedBody(payment));
      },
    },
    {
      ...post,
      path: '/api/v1/momo/cancel_payout',
      scope: 'payout',
      input: transactionQuery,
      about: momoAbout.cancelPayout,
      async handle({ merchant, input }) {
        const payment = await ownPayment(merchant.merchant_id, input['transaction_id']);
        if (payment.kind !== 'payout') throw new PaymentError('PAYMENT_NOT_FOUND');
        const cancellation = isFinal(payment.state) ? endOf(payment) : await api.cancel(payment);
        if (cancellation === 'too_late') throw new PaymentError('PAYOUT_NOT_CANCELLABLE');
        if (cancellation !== 'cancelled') throw new PaymentError('CANCELLATION_IN_PROGRESS');
        return ok(cancelledBody(payment));
      },
    },
    {
      ...post,
      path: '/api/v1/momo/refund',
      scope: 'payout',
      input: refundBody,
      about: momoAbout.refund,
      async handle(call) {
        const { merchant, input } = call;
        const deposit = await ownPayment(merchant.merchant_id, input['transaction_id']);
        if (deposit.kind !== 'deposit') throw new PaymentError('PAYMENT_NOT_FOUND');
        const amount = input['amount'] as string | undefined;
        return ok(refundAnswer(await refund(api, call, deposit, amount)));
      },
    },
    {
      ...get,
      path: '/api/v1/momo/status',
      input: transactionQuery,
      about: momoAbout.status,
      async handle({ merchant, input }) {
        return ok(statusBody(await ownPayment(merchant.merchant_id, input['transaction_id'])));
      },
    },
    {
      ...get,
      path: '/api/v1/momo/providers',
      input: providersQuery,
      about: momoAbout.providers,
      async handle({ input }) {
        const networks = await directory.list();
        const { country } = input;
        return ok(
          providersBody(networks.filter((network) => country === undefined || network.country === country)),
        );
      },
    },
    ...bulkEndpoints(api, momoBulk(directory)),
  ];
}
