/** The provider's addresses, and the part that answers each. */
import express, { type Request, type Router } from 'express';
import { answering, answeringErrors, type CallResponse, type Call } from '../../calls';
import type { Facts, Faults, FaultyCalls } from '../../faults';
import { recordOf, textOf } from '../../fields';
import type { RequestLog } from '../../requests';
import type { Tokens } from '../../tokens';
import type { Account, Feature } from './account';
import { mockRequested, issueToken, mediaTypeFault, tokenFault } from './access';
import { notFound, errorAnswers, unreadable } from './errors';
import type { OrderCalls } from './orders/calls';
import type { Orders } from './orders/orders';
import type { Batches } from './payouts/batches';
import type { PayoutCalls } from './payouts/calls';
import type { WalletpaySettings } from './settings';
import type { EventCalls } from './webhooks/calls';
import { issuerPath, type Certificates } from './webhooks/certificates';
import { signatureFaults } from './webhooks/signature';
import { searchTransactions } from './statement';
import type { Clock } from '../../clock';
import type { Statements } from '../../statement-lines';

const reading = ['hang', 'drop', '500', 'html', '401', '429', '503', 'expired_token', 'delay'] as const;
const acting = [...reading, 'act_then_500', 'act_then_drop'] as const;
const ofOrder = ['order_id', 'custom_id'];
const ofPayout = ['receiver', 'sender_batch_id'];

export const faultyCalls: FaultyCalls = {
  token: { behaviours: ['hang', 'drop', '500', 'html', '401', '429', '503', 'delay'], where: [] },
  initiate: { behaviours: acting, where: ['custom_id'] },
  capture: { behaviours: acting, where: ofOrder },
  query: { behaviours: reading, where: ofOrder },
  refund: { behaviours: acting, where: ofOrder },
  payout: { behaviours: acting, where: ofPayout },
  payout_query: { behaviours: reading, where: ofPayout },
  cancel: { behaviours: acting, where: ofPayout },
  event: { behaviours: acting, where: [] },
  account: { behaviours: reading, where: [] },
  statement: { behaviours: [...reading, 'truncated'], where: ['page'] },
  callback: {
    behaviours: [
      ...(['drop', 'delay', 'duplicate', 'forge', 'reorder', 'switched_off'] as const),
      ...signatureFaults,
    ],
    where: [...ofOrder, ...ofPayout, 'event_type', 'event_id'],
  },
};

export interface RouteParts {
  settings: WalletpaySettings;
  tokens: Tokens;
  account: Account;
  orders: Orders;
  batches: Batches;
  orderCalls: OrderCalls;
  payoutCalls: PayoutCalls;
  eventCalls: EventCalls;
  certificates: Certificates;
  statements: Statements;
  clock: Clock;
  faults: Faults;
  requests: RequestLog;
}

export function wireRouter(parts: RouteParts): Router {
  const { settings, tokens, account, orderCalls, payoutCalls, eventCalls, faults, requests } = parts;
  const router = express.Router();
  const wire = ['/v1', '/v2'];

  const openCall = (call: Call) =>
    answering({ provider: 'walletpay', errors: errorAnswers, faults, requests }, call);
  const call = (name: string, answer: Call['answer'], factsOf?: Call['factsOf']) =>
    openCall({
      name,
      ...(factsOf && { factsOf }),
      answer: (request) => tokenFault(request, tokens) ?? mediaTypeFault(request) ?? answer(request),
    });
  const mockable =
    (answer: (request: Request) => CallResponse | Promise<CallResponse>) => (request: Request) =>
      mockRequested(request) ?? answer(request);
  const { ofNewOrder, ofKnownOrder, ofNewPayout, ofKnownPayout } = factReaders(parts);

  router.post(
    '/v1/oauth2/token',
    express.urlencoded({ extended: false }),
    openCall({ name: 'token', answer: (request) => issueToken(request, settings, tokens) }),
  );
  router.use(certificateRouter(parts.certificates));
  router.use(wire, express.json({ limit: '5mb' }));

  router.post('/v2/checkout/orders', call('initiate', mockable(orderCalls.create), ofNewOrder));
  router.get('/v2/checkout/orders/:id', call('query', mockable(orderCalls.query), ofKnownOrder));
  router.post('/v2/checkout/orders/:id/capture', call('capture', mockable(orderCalls.capture), ofKnownOrder));
  router.get('/v2/payments/captures/:id', call('query', mockable(orderCalls.queryCapture), ofKnownOrder));
  router.post('/v2/payments/captures/:id/refund', call('refund', mockable(orderCalls.refund), ofKnownOrder));
  router.get('/v2/payments/refunds/:id', call('query', mockable(orderCalls.queryRefund), ofKnownOrder));

  const permitted = (feature: Feature, answer: Call['answer']) => (request: Request) =>
    account.lacking(feature) ?? answer(request);
  router.post('/v1/payments/payouts', call('payout', permitted('payouts', payoutCalls.create), ofNewPayout));
  router.get(
    '/v1/payments/payouts/:id',
    call('payout_query', permitted('payouts', payoutCalls.query), ofKnownPayout),
  );
  router.get('/v1/payments/payouts-item/:id', call('payout_query', payoutCalls.queryItem, ofKnownPayout));
  router.post('/v1/payments/payouts-item/:id/cancel', call('cancel', payoutCalls.cancelItem, ofKnownPayout));

  const events = '/v1/notifications/webhooks-events/:id';
  router.get(events, call('event', eventCalls.query));
  router.post(`${events}/resend`, call('event', eventCalls.resend));
  router.post('/v1/notifications/verify-webhook-signature', call('event', eventCalls.verify));

  router.get('/v1/notifications/webhooks/:id', call('account', account.webhook));
  router.get('/v1/reporting/balances', call('account', permitted('reporting', account.balances)));

  router.get(
    '/v1/reporting/transactions',
    call(
      'statement',
      permitted('reporting', (request) => searchTransactions(parts.statements, parts.clock, request)),
      ({ query }) => ({ page: textOf(query['page']) }),
    ),
  );

  router.use(wire, openCall({ name: 'unknown', answer: notFound }));
  return router.use(wire, answeringErrors('wallet', unreadable));
}

/** The known values of a call's payment. */
function factReaders({ orders, batches }: RouteParts) {
  const idIn = ({ params }: Request) => textOf(params['id']);
  const firstOf = (value: unknown) => recordOf(Array.isArray(value) ? value[0] : undefined);
  return {
    ofNewOrder: ({ body }: Request): Facts => ({
      custom_id: textOf(firstOf(recordOf(body)['purchase_units'])['custom_id']),
    }),
    ofKnownOrder(request: Request): Facts {
      const id = idIn(request);
      const captureId = orders.findRefund(id)?.captureId ?? id;
      const order = orders.find(id) ?? orders.findByCapture(captureId);
      return { order_id: order?.id ?? id, custom_id: order?.customId ?? '' };
    },
    ofNewPayout({ body }: Request): Facts {
      const { items, sender_batch_header: header } = recordOf(body);
      return {
        receiver: textOf(firstOf(items)['receiver']),
        sender_batch_id: textOf(recordOf(header)['sender_batch_id']),
      };
    },
    ofKnownPayout(request: Request): Facts {
      const id = idIn(request);
      const found = batches.findItem(id);
      const batch = found?.batch ?? batches.find(id);
      return {
        receiver: (found?.item ?? batch?.items[0])?.receiver ?? '',
        sender_batch_id: batch?.senderBatchId ?? '',
      };
    },
  };
}

/**
 * The certificates for verifying signatures are public. In reality, the authorities' certificates are on other hosts.
 */
function certificateRouter(certificates: Certificates): Router {
  const router = express.Router();
  router.get('/v1/notifications/certs/:name', (request, response, next) => {
    const pem = certificates.find(request.params.name);
    if (pem === undefined) next();
    else response.type('application/x-pem-file').send(pem);
  });
  router.get(issuerPath, (_request, response) => {
    response.type('application/pkix-cert').send(certificates.issuerDer());
  });
  router.get('/certs/ca.pem', (_request, response) => {
    response.type('application/x-pem-file').send(certificates.rootPem());
  });
  return router;
}
