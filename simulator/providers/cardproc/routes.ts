/** The provider's addresses, and the call for each. */
import express, { type Request, type Router } from 'express';
import { answering, answeringErrors, type CallResponse, type Call } from '../../calls';
import { recordOf, textOf } from '../../fields';
import type { Facts, Faults, FaultyCalls } from '../../faults';
import type { RequestLog } from '../../requests';
import type { Accounts } from './accounts';
import { invalidToken, notFound, errors, tokenAnswer, unreadable } from './answers';
import { trackingIdInQuery, type AccountCall, type Calls } from './calls';
import { factsOf, type Orders } from './orders';

const open = ['hang', 'drop', '500', 'html', '429', '503', 'delay'] as const;
const reading = [...open, 'expired_token'] as const;
const acting = [...reading, 'act_then_500', 'act_then_drop'] as const;
const order = ['merchant_reference', 'phone_number', 'email_address'];

export const faultyCalls: FaultyCalls = {
  token: { behaviours: open, where: [] },
  register_ipn: { behaviours: acting, where: [] },
  list_ipns: { behaviours: reading, where: [] },
  initiate: { behaviours: acting, where: order },
  query: { behaviours: reading, where: order },
  refund: { behaviours: acting, where: [] },
  cancel: { behaviours: acting, where: order },
  callback: { behaviours: ['drop', 'delay', 'duplicate', 'forge', 'switched_off'], where: order },
};

/** Its API is at `pay.pesapal.com/v3` and `cybqa.pesapal.com/pesapalv3`: a client with another host keeps the path. */
const bases = ['/v3', '/pesapalv3'];

export interface RouteParts {
  accounts: Accounts;
  orders: Orders;
  calls: Calls;
  faults: Faults;
  requests: RequestLog;
}

export function wireRouter({ accounts, orders, calls, faults, requests }: RouteParts): Router {
  const router = express.Router().use('/api', express.json());
  const answer = (call: Call) => answering({ provider: 'cardproc', errors, faults, requests }, call);
  const answerAccount = (name: string, call: AccountCall, about: Call['factsOf'] = () => ({})) =>
    answer({
      name,
      factsOf: about,
      answer(request): CallResponse {
        const account = accounts.of(request);
        return account === undefined ? invalidToken() : call(request, account);
      },
    });
  const about =
    (trackingIdOf: (request: Request) => string) =>
    (request: Request): Facts => {
      const known = orders.find(trackingIdOf(request));
      return known ? factsOf(known) : {};
    };

  router.post(
    '/api/Auth/RequestToken',
    answer({ name: 'token', answer: ({ body }) => tokenAnswer(accounts.issueToken(body)) }),
  );
  router.post('/api/URLSetup/RegisterIPN', answerAccount('register_ipn', calls.registerIpn));
  router.get('/api/URLSetup/GetIpnList', answerAccount('list_ipns', calls.listIpns));
  router.post('/api/Transactions/SubmitOrderRequest', answerAccount('initiate', calls.submit, factsOfSent));
  router.get(
    '/api/Transactions/GetTransactionStatus',
    answerAccount('query', calls.status, about(trackingIdInQuery)),
  );
  router.post('/api/Transactions/RefundRequest', answerAccount('refund', calls.refund));
  router.post(
    '/api/Transactions/CancelOrder',
    answerAccount(
      'cancel',
      calls.cancel,
      about(({ body }) => textOf(recordOf(body)['order_tracking_id'])),
    ),
  );
  router.use('/api', answer({ name: 'unknown', answer: notFound }));
  router.use('/api', answeringErrors('hosted checkout', unreadable));
  return express.Router().use(router).use(bases, router);
}

function factsOfSent({ body }: Request): Facts {
  const { id, billing_address: billing } = recordOf(body);
  const { phone_number: phone, email_address: email } = recordOf(billing);
  return { merchant_reference: textOf(id), phone_number: textOf(phone), email_address: textOf(email) };
}
