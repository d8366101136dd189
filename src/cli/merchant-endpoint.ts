/** A merchant's further webhook endpoints, as the merchant itself may set them over the API. */
import type { Command } from 'commander';
import { eventTypes, type EventType } from '../domain/event';
import { typesNamed } from '../http/types-field';
import { getMerchantOrThrow } from '../merchants/merchants';
import type { WebhookEndpointRow } from '../store/tables';
import {
  addEndpoint,
  changeEndpointSecret,
  endEndpoint,
  listEndpoints,
} from '../webhooks/endpoints/endpoints';
import { UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { clockOf } from './wall-clock';

interface AddOptions {
  url: string;
  types?: EventType[];
}

export function merchantEndpointCommands(merchant: Command, run: Runner): void {
  const endpoint = merchant
    .command('endpoint')
    .description(
      'further addresses that a merchant is told at, each with a secret and types of events of its own',
    );
  endpoint
    .command('add <merchant_id>')
    .description('tell an address what happens from now on; its secret is shown this once')
    .requiredOption('--url <url>', 'where it is')
    .option('--types <list>', 'such as deposit.succeeded,payout.*; all unless told', readTypes)
    .action(run(add));
  endpoint.command('list <merchant_id>').description('those in use, and how they fare').action(run(list));
  endpoint
    .command('remove <merchant_id> <endpoint_id>')
    .description('tell an address nothing more')
    .action(run(remove));
  endpoint
    .command('rotate <merchant_id> <endpoint_id>')
    .description('new secret, shown this once; what is sent is signed with the one before it, too')
    .action(run(rotate));
}

function readTypes(text: string): EventType[] {
  const types = typesNamed(text.split(','));
  if (types) return types;
  throw new UsageError(`"${text}" names no types of events; write them like deposit.succeeded,payout.*.`);
}

const worldOf = ({ context: { db }, box, config: { environment } }: Session) => ({ db, box, environment });

/** @throws PaymentError for one that there is not. */
async function merchantIn({ context: { db } }: Session, merchantId: string): Promise<string> {
  return (await getMerchantOrThrow(db, merchantId)).merchant_id;
}

async function add(session: Session, merchantId: string, { url, types }: AddOptions): Promise<Report> {
  const id = await merchantIn(session, merchantId);
  return withSecret(await addEndpoint(worldOf(session), id, { url, types: types ?? eventTypes }));
}

async function rotate(session: Session, merchantId: string, endpointId: string): Promise<Report> {
  const id = await merchantIn(session, merchantId);
  return withSecret(await changeEndpointSecret(worldOf(session), id, endpointId));
}

async function remove(session: Session, merchantId: string, endpointId: string): Promise<Report> {
  const id = await merchantIn(session, merchantId);
  const { endpoint_id, url } = await endEndpoint(session.context.db, id, endpointId);
  return { json: { endpoint_id, url }, text: `${url} is told nothing more.` };
}

async function list(session: Session, merchantId: string): Promise<Report> {
  const { context, config } = session;
  const endpoints = await listEndpoints(context.db, await merchantIn(session, merchantId));
  const clock = clockOf(config.timezone);
  const rows = endpoints.map((one) => [
    one.endpoint_id,
    one.url,
    one.types.split(',').length === eventTypes.length ? 'all' : one.types,
    one.delivered_at ? clock(one.delivered_at) : '',
    one.last_error === null ? '' : `${one.last_error}, ${String(one.tries)} tries`,
    one.skipped,
  ]);
  const head = ['endpoint', 'url', 'types', 'delivered', 'failing', 'given up'];
  return {
    json: { endpoints: endpoints.map(publicPartOf) },
    text: endpoints.length === 0 ? 'No further endpoints.' : table(head, rows),
  };
}

function withSecret({ endpoint, secret }: { endpoint: WebhookEndpointRow; secret: string }): Report {
  const { endpoint_id, url, types } = endpoint;
  const told = { endpoint_id, url, types, webhook_secret: secret };
  return { json: told, text: `${facts(Object.entries(told))}\n\nThe secret is not shown again.` };
}

/** Everything but the secrets. */
function publicPartOf({ webhook_secret: _, previous_webhook_secret: previous, ...row }: WebhookEndpointRow) {
  return { ...row, webhook_secret_is_rotating: previous !== null };
}
