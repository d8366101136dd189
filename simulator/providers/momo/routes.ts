/** The provider's addresses, and the part that answers each. */
import express, { type Request, type Router } from 'express';
import { answering, answeringErrors, type CallResponse, type Call } from '../../calls';
import type { Facts, Faults, FaultyCalls } from '../../faults';
import type { RequestLog } from '../../requests';
import { readJson, requestSignatureFault, tokenFault } from './access';
import type { Account } from './account';
import { denial, errors, rejected } from './answers';
import { failure } from './failures';
import type { FinancialCalls } from './financial-calls';
import { operationNames, operations, type Operation } from './operations';
import { idOf, phoneOf, providerOf } from './requests';
import type { MomoSettings } from './settings';
import type { openToolkit } from './toolkit';
import type { Transactions } from './transactions';
import { unmade, type WalletStatements } from './wallet-statements';

const reading = ['hang', 'drop', '500', 'html', '429', '503', 'expired_token', 'delay'] as const;
const acting = [...reading, 'act_then_500', 'act_then_drop', 'act_late'] as const;
const payment = ['phone_number', 'provider', 'operation'];

export const faultyCalls: FaultyCalls = {
  initiate: { behaviours: acting, where: payment },
  status: { behaviours: [...reading, 'not_found'], where: payment },
  cancel: { behaviours: acting, where: payment },
  resend: { behaviours: acting, where: payment },
  predict: { behaviours: reading, where: [] },
  conf: { behaviours: reading, where: [] },
  availability: { behaviours: reading, where: [] },
  balances: { behaviours: reading, where: [] },
  keys: { behaviours: reading, where: [] },
  statement: { behaviours: reading, where: [] },
  statement_status: { behaviours: [...reading, 'not_found', 'not_ready', 'failed'], where: [] },
  statement_file: {
    behaviours: ['hang', 'drop', '500', 'html', '429', '503', 'delay', 'truncated'],
    where: [],
  },
  callback: {
    behaviours: [
      ...(['drop', 'delay', 'duplicate', 'forge', 'reorder', 'contradict', 'switched_off'] as const),
      ...(['bad_digest', 'expired_signature', 'aged_signature', 'unknown_key', 'unsigned'] as const),
    ],
    where: payment,
  },
};

export interface RouteParts {
  settings: MomoSettings;
  account: Account;
  transactions: Transactions;
  calls: FinancialCalls;
  toolkit: ReturnType<typeof openToolkit>;
  walletStatements: WalletStatements;
  faults: Faults;
  requests: RequestLog;
}

export function wireRouter(parts: RouteParts): Router {
  const { settings, account, transactions, calls, toolkit, walletStatements, faults, requests } = parts;
  const router = express.Router().use('/v2', readJson);

  const openCall = (call: Call) => {
    const instead = call.name === 'statement_status' ? { ...errors.instead, ...unmade } : errors.instead;
    return answering(
      { provider: 'momo', errors: { ...errors, ...(instead && { instead }) }, faults, requests },
      call,
    );
  };
  const call = ({ answer, ...rest }: Call) =>
    openCall({
      ...rest,
      answer(request) {
        const fault = tokenFault(request, settings);
        return fault ? denial(fault) : answer(request);
      },
    });
  const signed =
    (answer: Call['answer']): Call['answer'] =>
    (request) => {
      const fault = requestSignatureFault(request, account, settings);
      return fault ? denial(fault) : answer(request);
    };

  for (const operation of operationNames) {
    const base = `/v2/${operations[operation].plural}`;
    const idIn = (request: Request) => String(request.params['id']);
    const factsOfSent = ({ body }: Request): Facts => ({
      ...factsOfKnown(body, operation, transactions),
      operation,
    });
    const factsOfAsked = (request: Request): Facts => {
      const { phone = '', provider = '' } = transactions.find(operation, idIn(request)) ?? {};
      return { phone_number: phone, provider, operation };
    };
    const about = (name: string, answer: (operation: Operation, id: string) => CallResponse) =>
      call({ name, factsOf: factsOfAsked, answer: (request) => answer(operation, idIn(request)) });

    router.post(
      base,
      call({
        name: 'initiate',
        factsOf: factsOfSent,
        answer: signed((request) => calls.initiate(operation, request, idOf(request.body, operation))),
      }),
    );
    router.post(`${base}/resend-callback/:id`, about('resend', calls.resendCallback));
    // A deposit is never queued: a delayed provider rejects it.
    if (operation !== 'DEPOSIT') {
      router.post(`${base}/fail-enqueued/:id`, about('cancel', calls.failEnqueued));
    }
    router.get(`${base}/:id`, about('status', calls.status));
  }
  router.post(
    '/v2/payouts/bulk',
    call({
      name: 'initiate',
      factsOf: () => ({ operation: 'PAYOUT' }),
      answer: signed((request) => calls.initiateMany(request, (item) => idOf(item, 'PAYOUT'))),
    }),
  );

  router.post('/v2/predict-provider', call({ name: 'predict', answer: toolkit.predict }));
  router.get('/v2/active-conf', call({ name: 'conf', answer: toolkit.activeConfiguration }));
  // This call is public.
  router.get('/v2/availability', openCall({ name: 'availability', answer: toolkit.availability }));
  router.get('/v2/wallet-balances', call({ name: 'balances', answer: toolkit.walletBalances }));
  router.get('/v2/public-key/http', call({ name: 'keys', answer: toolkit.publicKeys }));

  router.post('/v2/statements', call({ name: 'statement', answer: walletStatements.request }));
  router.get('/v2/statements/:id', call({ name: 'statement_status', answer: walletStatements.status }));
  // Like a file store: anyone with the address can download it.
  router.get('/statement-files/:file', openCall({ name: 'statement_file', answer: walletStatements.file }));

  router.use('/v2', openCall({ name: 'unknown', answer: () => ({ status: 404, json: {} }) }));
  router.use(
    '/v2',
    answeringErrors('mobile money', () => rejected('DEPOSIT', '', failure('INVALID_INPUT'))),
  );
  return router;
}

/** For a refund, the known values come from its deposit. */
function factsOfKnown(body: unknown, operation: Operation, transactions: Transactions): Facts {
  if (operation !== 'REFUND') {
    return { phone_number: phoneOf(body, operation), provider: providerOf(body, operation) };
  }
  const { phone = '', provider = '' } = transactions.find('DEPOSIT', idOf(body, 'DEPOSIT')) ?? {};
  return { phone_number: phone, provider };
}
