/** Commands for a merchant's additional webhook endpoints, which the merchant can also set over the API. */
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
    .description('additional webhook endpoints of a merchant, each with its own secret and event types');
  act(
    endpoint
      .command('add <merchant_id>')
      .description('add an endpoint, which gets the events from now on; its secret is shown only once')
      .requiredOption('--url <url>', 'the URL of the endpoint')
      .option('--types <list>', 'event types, such as deposit.succeeded,payout.*; all by default'),
    {
      kind: 'merchant.endpoint.add',
      input: (_: Session, merchantId: string, { url, types }: { url: string; types?: string }) => ({
        ...{ merchant_id: merchantId, url },
        ...(types !== undefined && { types: types.split(',') }),
      }),
      print: printSecret,
    },
  );
  endpoint
    .command('list <merchant_id>')
    .description('list the active endpoints, with their deliveries and failures')
    .action(run(list));
  const ofEndpoint = (_: Session, merchantId: string, endpointId: string) => ({
    merchant_id: merchantId,
    endpoint_id: endpointId,
  });
  act(
    endpoint
      .command('remove <merchant_id> <endpoint_id>')
      .description('remove an endpoint: it gets no more events'),
    {
      kind: 'merchant.endpoint.remove',
      input: ofEndpoint,
      print: (_, removed) => ({ json: removed, text: `${removed.url} gets no more events.` }),
    },
  );
  act(
    endpoint
      .command('rotate <merchant_id> <endpoint_id>')
      .description('make a new secret, shown only once; webhooks are also signed with the previous one'),
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
  const head = ['endpoint', 'url', 'types', 'delivered', 'failing', 'skipped'];
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
