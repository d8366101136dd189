/** The action of each call, for an authenticated account. */
import type { Request } from 'express';
import type { CallResponse } from '../../calls';
import { recordOf, textOf } from '../../fields';
import {
  cancelled,
  done,
  notCancelled,
  notDone,
  registered,
  registrationList,
  registrationRefused,
  serverError,
  statusOf,
  submissionRefused,
  submitted,
  unknownOrder,
} from './answers';
import { isPayable, type Order, type Orders } from './orders';
import type { Registrations } from './registrations';
import { readOrderRequest, readRefund, readRegistration } from './requests';
import { scenarioOf } from './scenarios';

export type AccountCall = (request: Request, account: string) => CallResponse;

export function openCalls(orders: Orders, registrations: Registrations) {
  const own = (account: string, trackingId: string): Order | undefined => {
    const order = orders.find(trackingId);
    return order?.account === account ? order : undefined;
  };

  return {
    registerIpn({ body }: Request, account: string): CallResponse {
      const read = readRegistration(body);
      return 'refused' in read
        ? registrationRefused(read.refused)
        : registered(registrations.add(account, read.value));
    },
    listIpns: (_request: Request, account: string): CallResponse =>
      registrationList(registrations.of(account)),

    submit(request: Request, account: string): CallResponse {
      const read = readOrderRequest(request.body);
      if ('refused' in read) return submissionRefused(read.refused);
      const { merchantReference, notificationId, amountCents } = read.value;
      if (!registrations.find(account, notificationId)) {
        return submissionRefused(unknownAddress);
      }
      if (orders.isUsed(account, merchantReference)) {
        return submissionRefused({ code: 'duplicate_order_id', message: 'id was used by an order before' });
      }
      const goesWrong = scenarioOf(amountCents).submit;
      if (goesWrong === 'error_500') return serverError();
      if (goesWrong === 'error_in_200') return submissionRefused(processingError);
      const isLost = goesWrong === 'lost' && !orders.hasEarlierAttempt(account, merchantReference);
      const order = orders.submit(account, read.value);
      return isLost ? { drop: true } : submitted(order, payPageOf(request, order));
    },

    status(request: Request, account: string): CallResponse {
      const order = own(account, trackingIdInQuery(request));
      return order ? statusOf(order) : unknownOrder();
    },

    refund({ body }: Request, account: string): CallResponse {
      const read = readRefund(body);
      if ('refused' in read) return notDone(read.refused.message);
      const { confirmationCode, amountCents } = read.value;
      const order = orders.findPaid(account, confirmationCode);
      if (!order) return notDone('Refund rejected: there is no such payment');
      const fault = refundFault(order, amountCents);
      if (fault !== undefined) return notDone(`Refund rejected: ${fault}`);
      orders.refund(order, amountCents);
      return done('Refund request received and is being processed');
    },

    cancel({ body }: Request, account: string): CallResponse {
      const order = own(account, textOf(recordOf(body)['order_tracking_id']));
      if (!order || !isPayable(order)) return notCancelled();
      orders.cancel(order);
      return cancelled();
    },
  };
}

export type Calls = ReturnType<typeof openCalls>;

/** Public clients of this provider check this code; its sentence varies. */
const unknownAddress = { code: 'InvalidIpnId', message: 'The id of the notification address is invalid' };
const processingError = { code: 'processing_error', message: 'Unable to process the order at the moment' };

/** In any letter case, as the provider's framework reads queries. */
export function trackingIdInQuery({ query }: Request): string {
  const [, value] = Object.entries(query).find(([name]) => name.toLowerCase() === 'ordertrackingid') ?? [];
  return textOf(value);
}

function payPageOf(request: Request, { trackingId }: Order): string {
  const host = `${request.protocol}://${request.get('host') ?? ''}`;
  return `${host}/pay?OrderTrackingId=${trackingId}`;
}

function refundFault({ state, payment, isRefundAsked }: Order, amountCents: number): string | undefined {
  if (isRefundAsked) return 'the payment was refunded before';
  if (state !== 'COMPLETED' || !payment) return 'only completed payments can be refunded';
  if (amountCents > payment.amountCents) return 'the amount is above what was paid';
  return !payment.isCard && amountCents < payment.amountCents
    ? 'only card payments can be refunded in part'
    : undefined;
}
