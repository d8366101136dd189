/** IntaSend payment collection: an invoice per prompt, webhooks at every change of it, and a status call. */
import express, { type Request, type Router } from 'express';
import { answering, answeringErrors, type CallResponse, type Call } from '../../calls';
import type { Facts, FaultyCalls } from '../../faults';
import { recordOf, textOf } from '../../fields';
import type { ProviderContext, ProviderDefinition } from '../../provider';
import {
  fieldErrors,
  listed,
  notFound,
  errorAnswers,
  serverError,
  started,
  statusOf,
  unknownInvoice,
  unreadable,
} from './answers';
import { controls, xbControlRouter } from './control';
import { pushes, type Push } from './currencies';
import { openInvoices, type Invoices } from './invoices';
import { credentialFault, readCollectionRequest } from './requests';
import { scenarioTable, type ScenarioTable } from './scenarios';
import { readXbSettings, type XbSettings } from './settings';
import { invoicePage, invoicesOf } from './statement';
import { openWallets, type Wallets } from './wallets';

const where = ['phone_number'];
const faultyCalls: FaultyCalls = {
  initiate: {
    behaviours: [
      ...(['hang', 'drop', '500', 'html', '401', '429', '503'] as const),
      ...(['delay', 'act_then_500', 'act_then_drop'] as const),
    ],
    where,
  },
  status: { behaviours: ['hang', 'drop', '500', 'html', '401', '429', '503', 'delay'], where },
  statement: {
    behaviours: ['hang', 'drop', '500', 'html', '401', '429', '503', 'delay', 'truncated'],
    where: ['page'],
  },
  lookup: { behaviours: ['hang', 'drop', '500', 'html', '401', '429', '503', 'delay'], where },
  wallets: { behaviours: ['hang', 'drop', '500', 'html', '401', '429', '503', 'delay'], where: [] },
  callback: {
    behaviours: [
      ...(['drop', 'delay', 'duplicate', 'forge', 'reorder', 'contradict'] as const),
      ...(['wrong_challenge', 'bad_signature', 'other_event', 'switched_off'] as const),
    ],
    where,
  },
};

export const xb: ProviderDefinition = {
  name: 'xb',
  port: 3230,
  title: 'Cross-border collection (UGX, TZS)',
  faultyCalls,
  statement: {
    type: 'application/json',
    write: (lines) => JSON.stringify({ results: invoicesOf(lines) }),
  },
  configure(reader) {
    const settings = readXbSettings(reader);
    return (context) => {
      const scenarios = scenarioTable(settings.soonMs);
      const invoices = openInvoices(context, settings);
      const wallets = openWallets(context.journal, context.books);
      return {
        router: wireRouter(context, settings, scenarios, invoices, wallets),
        control: xbControlRouter(invoices, wallets),
        pages: [],
        controls,
        testValues: scenarios.listed.map(({ suffix, title, behaviour }) => ({
          value: `256700000${suffix}`,
          asks: ['payment'],
          title,
          behaviour,
        })),
      };
    };
  },
};

function wireRouter(
  { faults, requests, statements, origin }: ProviderContext,
  settings: XbSettings,
  scenarios: ScenarioTable,
  invoices: Invoices,
  wallets: Wallets,
): Router {
  const answer = (call: Call) => answering({ provider: 'xb', errors: errorAnswers, faults, requests }, call);
  // For the provider's framework, a path without its trailing slash is another path.
  const router = express.Router({ strict: true });
  router.use('/api', express.json());

  // The `payment/collection/` of the official clients' older versions no longer exists.
  for (const push of pushes) {
    router.post(
      `/api/v1/payment/${push}/`,
      answer({
        name: 'initiate',
        factsOf: ({ body }) => payer(textOf(recordOf(body)['phone_number'])),
        answer: (request) =>
          credentialFault(request, ['secret'], settings) ?? collect(push, request.body, scenarios, invoices),
      }),
    );
  }
  router.post(
    '/api/v1/payment/status/',
    answer({
      name: 'status',
      factsOf: (request) => payer(invoices.find(invoiceIdOf(request))?.phone ?? ''),
      answer: (request) =>
        credentialFault(request, ['secret', 'publishable'], settings) ?? notifyStatus(request, invoices),
    }),
  );
  // Without a name it returns the whole list.
  const listPage = answer({
    name: 'statement',
    factsOf: (request) => ({ page: textOf(request.query['page']) }),
    answer: (request) =>
      credentialFault(request, ['secret'], settings) ?? invoicePage(statements, origin, request),
  });
  router.get('/api/v1/invoices/', (request, response, next) => {
    if (request.query['api_ref'] === undefined) listPage(request, response, next);
    else next();
  });
  router.get(
    '/api/v1/invoices/',
    answer({
      name: 'lookup',
      factsOf: (request) => payer(invoices.named(textOf(request.query['api_ref']))[0]?.phone ?? ''),
      answer: (request) =>
        credentialFault(request, ['secret'], settings) ??
        listed(invoices.named(textOf(request.query['api_ref']))),
    }),
  );
  router.get(
    '/api/v1/wallets/',
    answer({
      name: 'wallets',
      answer: (request) => credentialFault(request, ['secret'], settings) ?? wallets.list(),
    }),
  );
  router.use('/api', answer({ name: 'unknown', answer: notFound }));
  router.use('/api', answeringErrors('cross-border', unreadable));
  return router;
}

const payer = (phone: string): Facts => ({ phone_number: phone });
const invoiceIdOf = ({ body }: Request) => textOf(recordOf(body)['invoice_id']);

async function collect(
  push: Push,
  body: unknown,
  scenarios: ScenarioTable,
  invoices: Invoices,
): Promise<CallResponse> {
  const read = readCollectionRequest(push, body);
  if ('refused' in read) return read.refused;
  const scenario = scenarios.of(read.value.phone);
  if (scenario.start === 'refused_500') return serverError();
  const invoice = await invoices.start(read.value, scenario);
  if (scenario.start === 'accepted_500') return serverError();
  return scenario.start === 'accepted_lost' ? { drop: true } : started(invoice);
}

function notifyStatus(request: Request, invoices: Invoices): CallResponse {
  const invoiceId = invoiceIdOf(request);
  if (invoiceId === '') return fieldErrors({ invoice_id: ['This field is required.'] });
  const invoice = invoices.find(invoiceId);
  return invoice ? statusOf(invoice) : unknownInvoice();
}
