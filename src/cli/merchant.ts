import { InvalidArgumentError, type Command } from 'commander';
import { cutText } from '../domain/cut-text';
import {
  createMerchant,
  getMerchantOrThrow,
  listMerchants,
  rotateWebhookSecret,
  setMerchant,
  type MerchantInput,
} from '../merchants/merchants';
import { everyScope, keyScopes, scopesColumn, scopesOf, type KeyScope } from '../merchants/key-scopes';
import { listKeys, revokeKey, rotateKey } from '../merchants/own-keys';
import type { MerchantRow } from '../store/tables';
import { tellDecidersOf } from '../portal/tell-deciders';
import { merchantEndpointCommands } from './merchant-endpoint';
import { collect, readWholeNumber, readWholeNumberOrNone } from './parse';
import { Refusal, UsageError } from './refusal';
import type { Report, Runner } from './report';
import type { Session } from './session';
import { facts, table } from './table';
import { tellingOf } from './telling';
import { clockOf } from './wall-clock';

interface Options {
  name?: string;
  status?: string;
  callbackUrl?: string;
  webhookUrl?: string;
  returnUrl?: string;
  cancelUrl?: string;
  walletCurrency?: string;
  stkCents?: string;
  permission?: string[];
  ipAllow?: string[];
  checkoutHost?: string[];
  stkRate?: number;
  stkBurst?: number;
  apiRate?: number;
  apiBurst?: number;
  duplicateWindow?: number;
  paidTwice?: string;
  timeZone?: string;
}

export function merchantCommands(program: Command, run: Runner): void {
  const merchant = program.command('merchant').description('the businesses we move money for');
  withSettings(merchant.command('create').description('add a merchant; its secrets are shown this once'))
    .requiredOption('--name <name>', 'as operators call it')
    .action(run(create));
  withSettings(merchant.command('set <merchant_id>').description('change the settings that are given'))
    .option('--name <name>', 'as operators call it')
    .option('--status <status>', 'active, suspended or inactive')
    .action(run(set));
  merchant.command('show <merchant_id>').description('one merchant and its API keys').action(run(show));
  merchant.command('list').description('all merchants').action(run(list));
  merchant
    .command('rotate-key <merchant_id>')
    .description('add an API key, shown this once; the newest one before it keeps working')
    .option(
      '--scope <scope>',
      'what it may do: collect or payout; repeatable, everything unless told, and reading always',
      readScope,
    )
    .action(run(rotateApiKey));
  merchant
    .command('revoke-key <merchant_id> <api_key>')
    .description('end an API key at once, such as one that was lost')
    .action(run(revokeApiKey));
  merchant
    .command('rotate-webhook-secret <merchant_id>')
    .description('new webhook secret, shown this once; webhooks are signed with the one before it, too')
    .action(run(rotateSecret));
  merchantEndpointCommands(merchant, run);
}

function withSettings(command: Command): Command {
  return command
    .option('--callback-url <url>', 'where mobile money callbacks go')
    .option('--webhook-url <url>', 'where all other webhooks go')
    .option('--return-url <url>', 'where a wallet checkout returns to')
    .option('--cancel-url <url>', 'where a cancelled wallet checkout returns to')
    .option('--wallet-currency <currency>', 'USD, KES, TZS or UGX')
    .option('--stk-cents <what>', 'STK amounts with cents: floor (the default) or refuse')
    .option('--permission <permission>', 'can_payout or is_admin; repeatable, "" for none', collect)
    .option('--ip-allow <cidr>', 'addresses that may call; repeatable, "" for all', collect)
    .option(
      '--checkout-host <host>',
      'hosts a hosted checkout may return to; repeatable, "" for none',
      collect,
    )
    .option('--stk-rate <n>', 'STK and cross-border requests a minute', readWholeNumber)
    .option('--stk-burst <n>', 'of those, at once', readWholeNumber)
    .option('--api-rate <n>', 'all other requests a minute', readWholeNumber)
    .option('--api-burst <n>', 'of those, at once', readWholeNumber)
    .option(
      '--duplicate-window <seconds>',
      'how long the same payment is refused as a double click, 120 unless set; 0 for never',
      readWholeNumberOrNone,
    )
    .option(
      '--paid-twice <what>',
      'whether who pays a reference twice is looked for: on (the default) or off',
    )
    .option(
      '--time-zone <zone>',
      'whose clock its people read in the portal, such as Africa/Lagos; "" for MALIPO_TIMEZONE',
    );
}

function readScope(word: string, before: readonly KeyScope[] = []): KeyScope[] {
  const scope = keyScopes.find((known) => known === word);
  if (!scope) throw new InvalidArgumentError(`must be one of ${keyScopes.join(', ')}`);
  return [...before, scope];
}

const about = (merchantId: string) => ({ subject: { kind: 'merchant', id: cutText(merchantId, 160) } });

function inputOf({ permission, checkoutHost, ...same }: Options): MerchantInput {
  return { ...same, permissions: permission, checkoutHosts: checkoutHost };
}

async function create(
  { context, box, config, acting }: Session,
  options: Options & { name: string },
): Promise<Report> {
  const { environment } = config;
  const created = await createMerchant(
    context.db,
    box,
    { ...inputOf(options), name: options.name, environment },
    (trx, merchantId) => acting.record(trx, { ...about(merchantId), needs: { kind: 'keys' } }),
  );
  return {
    json: created,
    text: `${facts(Object.entries<string>({ ...created }))}\n\nThe secrets are not shown again: hand them to the merchant now.`,
  };
}

const closed = { what: 'merchant_closed' as const, values: {} };

async function set(session: Session, merchantId: string, options: Options): Promise<Report> {
  if (Object.keys(options).length === 0) throw new UsageError('Nothing to set: name at least one setting.');
  const { context, config, acting } = session;
  // What a key may do, and from where, is as good as a key.
  const opens = options.permission !== undefined || options.ipAllow !== undefined;
  await setMerchant(context.db, merchantId, inputOf(options), config, async (trx) => {
    if (options.status === 'inactive') await tellDecidersOf(trx, tellingOf(session, merchantId), closed);
    if (options.ipAllow !== undefined) {
      const addresses = options.ipAllow.filter(Boolean).join(', ') || '*';
      const change = { what: 'access_changed' as const, values: { addresses } };
      await tellDecidersOf(trx, tellingOf(session, merchantId), change);
    }
    await acting.record(trx, { ...about(merchantId), ...(opens && { needs: { kind: 'keys' } }) });
  });
  return show(session, merchantId);
}

async function show({ context, config }: Session, merchantId: string): Promise<Report> {
  const merchant = await getMerchantOrThrow(context.db, merchantId);
  const keys = await listKeys(context.db, merchant.merchant_id);
  const clock = clockOf(config.timezone);
  const described = publicPartOf(merchant);
  const rows = keys.map((key) => [
    key.api_key,
    key.name ?? '',
    key.scopes.join(', '),
    clock(key.created_at),
    key.last_used_at ? clock(key.last_used_at) : '',
    key.revoked_at ? `revoked ${clock(key.revoked_at)}` : 'works',
  ]);
  return {
    json: { ...described, api_keys: keys },
    text: [
      facts(Object.entries(described).map(([name, value]) => [name, wordsOf(value, clock)])),
      table(['api key', 'name', 'may', 'created', 'last used', 'state'], rows),
    ].join('\n\n'),
  };
}

async function list({ context }: Session): Promise<Report> {
  const merchants = await listMerchants(context.db);
  const rows = merchants.map(({ merchant_id: id, name, status, permissions }) => [
    id,
    name,
    status,
    permissions.join(', '),
  ]);
  return {
    json: { merchants: merchants.map(publicPartOf) },
    text:
      merchants.length === 0
        ? 'No merchants yet.'
        : table(['merchant', 'name', 'status', 'permissions'], rows),
  };
}

async function rotateApiKey(
  session: Session,
  merchantId: string,
  { scope: scopes = everyScope }: { scope?: readonly KeyScope[] },
): Promise<Report> {
  const { context, config, acting } = session;
  const wanted = { environment: config.environment, scopes };
  const keys = await rotateKey(context.db, merchantId, wanted, async (trx, { pair, ended }) => {
    const may = scopesOf(scopesColumn(scopes));
    const telling = tellingOf(session, merchantId);
    await tellDecidersOf(trx, telling, { what: 'key_created', values: { key: pair.api_key, scopes: may } });
    for (const key of ended) await tellDecidersOf(trx, telling, { what: 'key_ended', values: { key } });
    await acting.record(trx, { ...about(merchantId), needs: { kind: 'keys' } });
  });
  const pair = { merchant_id: merchantId, ...keys };
  return { json: pair, text: `${facts(Object.entries(pair))}\n\nThe secret is not shown again.` };
}

async function revokeApiKey(session: Session, merchantId: string, apiKey: string): Promise<Report> {
  const { context, acting } = session;
  const { merchant_id: id } = await getMerchantOrThrow(context.db, merchantId);
  const revoked = await revokeKey(context.db, id, apiKey, async (trx) => {
    await tellDecidersOf(trx, tellingOf(session, id), { what: 'key_ended', values: { key: apiKey } });
    await acting.record(trx, about(id));
  });
  if (!revoked) throw new Refusal('No API key of that merchant that works is called so.');
  return {
    json: { merchant_id: id, api_key: apiKey, revoked },
    text: `${apiKey} has ended: whoever calls with it is refused from now on.`,
  };
}

async function rotateSecret({ context, box, acting }: Session, merchantId: string): Promise<Report> {
  const secret = {
    merchant_id: merchantId,
    webhook_secret: await rotateWebhookSecret(context.db, box, merchantId, (trx) =>
      acting.record(trx, about(merchantId)),
    ),
  };
  return { json: secret, text: `${facts(Object.entries(secret))}\n\nThe secret is not shown again.` };
}

/** Everything but the secrets. */
function publicPartOf({ webhook_secret: _, previous_webhook_secret: previous, ...merchant }: MerchantRow) {
  return { ...merchant, webhook_secret_is_rotating: previous !== null };
}

function wordsOf(
  value: Date | string[] | string | number | boolean | null,
  clock: (at: Date) => string,
): string {
  if (value instanceof Date) return clock(value);
  if (Array.isArray(value)) return value.join(', ');
  return value === null ? '' : String(value);
}
