/** Safaricom Daraja, M-Pesa Express: an access token, a prompt on the payer's handset, and a status query. */
import { Buffer } from 'node:buffer';
import express, { type Request, type Router } from 'express';
import { answering, answeringErrors, serviceUnavailable, type CallResponse, type Call } from '../../calls';
import { recordOf, textOf } from '../../fields';
import type { Facts, FaultyCalls } from '../../faults';
import type { ProviderContext, ProviderDefinition } from '../../provider';
import { lieControl } from '../../reported-balances';
import { openTokens, type Tokens } from '../../tokens';
import {
  accepted,
  badRequest,
  invalidAccessToken,
  invalidAuthentication,
  invalidGrantType,
  noSuchResource,
  queried,
  errors,
  subscriberLocked,
  tokenIssued,
  TOKEN_LIFETIME_S,
} from './answers';
import { stkControlRouter } from './control';
import { handsetRouter } from './handset';
import { openPrompts, type Prompts } from './prompts';
import { readPromptRequest, readQueryRequest } from './requests';
import { scenarioTable, type ScenarioTable } from './scenarios';
import { openAccountBalance, type AccountBalance } from './account-balance';
import { openPullTransactions, pulledFrom } from './pull-transactions';
import { openTransactionStatus } from './transaction-status';
import { readStkSettings, type StkSettings } from './settings';
import { mpesaStatement } from './statement';

const roots = ['/oauth', '/mpesa', '/pulltransactions'];
const asking = ['hang', 'drop', '500', 'html', '429', 'expired_token', 'other_token_error', 'delay'] as const;

const faultyCalls: FaultyCalls = {
  token: { behaviours: ['hang', 'drop', '500', 'html', '429', 'delay'], where: [] },
  initiate: {
    behaviours: [
      'hang',
      'drop',
      '500',
      'html',
      '429',
      'spike_arrest',
      'quota',
      'expired_token',
      'other_token_error',
      'delay',
      'act_then_500',
      'act_then_error',
    ],
    where: ['phone_number'],
  },
  query: { behaviours: asking, where: ['phone_number'] },
  prompt: { behaviours: ['rule_limited'], where: ['phone_number'] },
  receipt: { behaviours: asking, where: [] },
  balance: { behaviours: asking, where: [] },
  balance_result: { behaviours: ['drop'], where: [] },
  pull_registration: { behaviours: asking, where: [] },
  statement: { behaviours: [...asking, '503', 'truncated'], where: ['offset'] },
  callback: {
    behaviours: ['drop', 'delay', 'duplicate', 'forge', 'reorder', 'contradict'],
    where: ['phone_number'],
  },
};

export const stk: ProviderDefinition = {
  name: 'stk',
  port: 3210,
  title: 'M-Pesa Express (STK push)',
  faultyCalls,
  statement: { type: 'text/csv', write: mpesaStatement },
  configure(reader) {
    const settings = readStkSettings(reader);
    return (context) => {
      const scenarios = scenarioTable(settings.soonMs);
      const prompts = openPrompts(context);
      const balance = openAccountBalance(context, settings);
      return {
        router: wireRouter(context, settings, { scenarios, prompts, balance }).use(
          '/handset',
          handsetRouter(prompts, context.clock),
        ),
        control: stkControlRouter(prompts, balance),
        pages: [{ path: '/handset', title: 'The handset: enter the PIN, cancel or ignore' }],
        controls: [
          {
            request:
              'POST /control/stk/prompts/<checkout_request_id> {"action":"pay|cancel|ignore|pay_late"}',
            does: 'Decides a waiting prompt, or pays one that had ended unpaid.',
          },
          {
            request: `POST /control/stk/told {${lieControl.fields}}`,
            does: `Reports an invalid balance: ${lieControl.does}`,
          },
        ],
        testValues: scenarios.listed.map(({ phone, title, behaviour }) => ({
          value: phone,
          asks: ['payment'],
          title,
          behaviour,
        })),
      };
    };
  },
};

function wireRouter(
  context: ProviderContext,
  settings: StkSettings,
  { scenarios, prompts, balance }: { scenarios: ScenarioTable; prompts: Prompts; balance: AccountBalance },
): Router {
  const { journal, clock, faults, requests } = context;
  const tokens = openTokens(journal, clock, 'stk.tokens', TOKEN_LIFETIME_S * 1_000);
  const answer = (call: Call) => answering({ provider: 'stk', errors, faults, requests }, call);
  const router = express.Router();

  router.get(
    '/oauth/v1/generate',
    answer({ name: 'token', answer: (request) => issueToken(request, settings, tokens) }),
  );
  router.post(
    '/mpesa/stkpush/v1/processrequest',
    express.json(),
    answer({
      name: 'initiate',
      factsOf: (request) => payer(textOf(recordOf(request.body)['PhoneNumber'])),
      answer: (request) =>
        bearsToken(request, tokens)
          ? initiate(request.body, settings, scenarios, prompts)
          : invalidAccessToken(),
    }),
  );
  router.post(
    '/mpesa/stkpushquery/v1/query',
    express.json(),
    answer({
      name: 'query',
      factsOf: (request) =>
        payer(prompts.find(textOf(recordOf(request.body)['CheckoutRequestID']))?.phone ?? ''),
      answer: (request) =>
        bearsToken(request, tokens) ? query(request.body, settings, prompts) : invalidAccessToken(),
    }),
  );
  const askStatus = openTransactionStatus(context, settings, prompts);
  router.post(
    '/mpesa/transactionstatus/v1/query',
    express.json(),
    answer({
      name: 'receipt',
      answer: (request) => (bearsToken(request, tokens) ? askStatus(request.body) : invalidAccessToken()),
    }),
  );
  router.post(
    '/mpesa/accountbalance/v1/query',
    express.json(),
    answer({
      name: 'balance',
      answer: (request) => (bearsToken(request, tokens) ? balance.ask(request.body) : invalidAccessToken()),
    }),
  );
  const pull = openPullTransactions(context, settings);
  router.post(
    '/pulltransactions/v1/register',
    express.json(),
    answer({
      name: 'pull_registration',
      answer: (request) => (bearsToken(request, tokens) ? pull.register(request.body) : invalidAccessToken()),
    }),
  );
  router.post(
    '/pulltransactions/v1/query',
    express.json(),
    answer({
      name: 'statement',
      factsOf: (request) => pulledFrom(request.body),
      answer: (request) => (bearsToken(request, tokens) ? pull.query(request.body) : invalidAccessToken()),
    }),
  );
  router.use(roots, answer({ name: 'unknown', answer: noSuchResource }));
  router.use(
    roots,
    answeringErrors('STK', () => badRequest('Request Body')),
  );
  return router;
}

const payer = (phone: string): Facts => ({ phone_number: phone });

function issueToken(
  request: Request,
  { consumerKey, consumerSecret }: StkSettings,
  tokens: Tokens,
): CallResponse {
  const expected = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
  if (request.get('authorization') !== `Basic ${expected}`) return invalidAuthentication();
  if (request.query['grant_type'] !== 'client_credentials') return invalidGrantType();
  // Only one is valid at a time: each request ends the previous token (Authorization, FAQ, of the provider's
  // documentation).
  tokens.expire();
  return tokenIssued(tokens.issue());
}

function bearsToken(request: Request, tokens: Tokens): boolean {
  const [, token] = /^Bearer (\S+)$/.exec(request.get('authorization') ?? '') ?? [];
  return token !== undefined && tokens.accepts(token);
}

async function initiate(
  body: unknown,
  settings: StkSettings,
  scenarios: ScenarioTable,
  prompts: Prompts,
): Promise<CallResponse> {
  const read = readPromptRequest(body, settings);
  if ('refused' in read) return read.refused;
  const scenario = scenarios.of(read.value.phone);
  if (scenario.initiation === 'locked') return subscriberLocked();
  if (scenario.initiation === 'unavailable') return serviceUnavailable;
  const prompt = await prompts.accept(
    read.value,
    prompts.isLimited(read.value) ? scenarios.limited : scenario,
  );
  return scenario.initiation === 'lost' ? { drop: true } : accepted(prompt);
}

function query(body: unknown, settings: StkSettings, prompts: Prompts): CallResponse {
  const read = readQueryRequest(body, settings);
  if ('refused' in read) return read.refused;
  const prompt = prompts.find(read.value);
  return prompt ? queried(prompt) : badRequest('CheckoutRequestID');
}
