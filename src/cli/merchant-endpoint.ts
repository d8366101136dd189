/** A merchant's further webhook endpoints, as the merchant itself may set them over the API. */
import type { Command } from 'commander';
import { eventTypes } from '../domain/event';
import { getMerchantOrThrow } from '../merchants/merchants';
import { publicEndpoint, type EndpointWithSecret } from '../operator-actions/endpoints';
import { listEndpoints } from '../webhooks/endpoints/endpoints';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';

export function merchantEndpointCommands(merchant: Command, { run, act }: Running): void {
  const endpoint = merchant
    .command('endpoint')
    .description(
      'further addresses that a merchant is told at, each with a secret and types of events of its own',
    );
  act(
    endpoint
      .command('add <merchant_id>')
      .description('tell an address what happens from now on; its secret is shown this once')
      .requiredOption('--url <url>', 'where it is')
      .option('--types <list>', 'such as deposit.succeeded,payout.*; all unless told'),
    {
      kind: 'merchant.endpoint.add',
      input: (_: Session, merchantId: string, { url, types }: { url: string; types?: string }) => ({
        ...{ merchant_id: merchantId, url },
        ...(types !== undefined && { types: types.split(',') }),
      }),
      print: printSecret,
    },
  );
  endpoint.command('list <merchant_id>').description('those in use, and how they fare').action(run(list));
  const ofEndpoint = (_: Session, merchantId: string, endpointId: string) => ({
    merchant_id: merchantId,
    endpoint_id: endpointId,
  });
  act(endpoint.command('remove <merchant_id> <endpoint_id>').description('tell an address nothing more'), {
    kind: 'merchant.endpoint.remove',
    input: ofEndpoint,
    print: (_, removed) => ({ json: removed, text: `${removed.url} is told nothing more.` }),
  });
  act(
    endpoint
      .command('rotate <merchant_id> <endpoint_id>')
      .description('new secret, shown this once; what is sent is signed with the one before it, too'),
    { kind: 'merchant.endpoint.rotate', input: ofEndpoint, print: printSecret },
  );
}

async function list(session: Session, merchantId: string): Promise<Report> {
  const { context, config } = session;
  const endpoints = await listEndpoints(
    context.db,
    (await getMerchantOrThrow(context.db, merchantId)).merchant_id,
  );
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
    json: { endpoints: endpoints.map(publicEndpoint) },
    text: endpoints.length === 0 ? 'No further endpoints.' : table(head, rows),
  };
}

function printSecret(_: Session, endpoint: EndpointWithSecret): Report {
  return {
    json: endpoint,
    text: `${facts(Object.entries({ ...endpoint }))}\n\nThe secret is not shown again.`,
  };
}
