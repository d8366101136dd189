import { InvalidArgumentError, type Command } from 'commander';
import { keyScopes, type KeyScope } from '../merchants/api-keys';
import { listMerchants } from '../merchants/merchants';
import { InputError } from '../operator-actions/errors';
import { getMerchantWithKeys, publicMerchant, type MerchantWithKeys } from '../operator-actions/merchants';
import { readWholeNumber } from '../operator-actions/read';
import { merchantEndpointCommands } from './merchant-endpoint';
import { collect, readWholeNumberOrNone } from './parse';
import type { Report, Running } from './report';
import type { Session } from './session';
import { facts, table, clockOf } from './table';

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
  duplicateAlert?: string;
  timeZone?: string;
}

export function merchantCommands(program: Command, running: Running): void {
  const { run, act } = running;
  const merchant = program.command('merchant').description('merchants, their settings and their API keys');
  act(
    withSettings(
      merchant.command('create').description('add a merchant; its secrets are shown only once'),
    ).requiredOption('--name <name>', 'the name that operators see'),
    {
      kind: 'merchant.create',
      input: (_: Session, options: Options & { name: string }) => ({
        ...settingsOf(options),
        name: options.name,
      }),
      print: (_, created) => ({
        json: created,
        text: `${facts(Object.entries<string>({ ...created }))}\n\nThe secrets are not shown again: give them to the merchant now.`,
      }),
    },
  );
  act(
    withSettings(merchant.command('set <merchant_id>').description('change the given settings'))
      .option('--name <name>', 'the name that operators see')
      .option('--status <status>', 'active, suspended or inactive'),
    {
      kind: 'merchant.set',
      input: (_: Session, merchantId: string, options: Options) => {
        if (Object.keys(options).length === 0)
          throw new InputError('Nothing to set: name at least one setting.');
        return { merchant_id: merchantId, ...settingsOf(options) };
      },
      print: describe,
    },
  );
  merchant
    .command('show <merchant_id>')
    .description('show one merchant and its API keys')
    .action(
      run(async (session: Session, merchantId: string) =>
        describe(session, await getMerchantWithKeys(session.context.db, merchantId)),
      ),
    );
  merchant.command('list').description('list all merchants').action(run(list));
  act(
    merchant
      .command('rotate-key <merchant_id>')
      .description('add an API key, shown only once; the previous newest key keeps working')
      .option(
        '--scope <scope>',
        'what the key may do: collect or payout; repeatable; by default both; every key can read',
        readScope,
      ),
    {
      kind: 'merchant.rotate-key',
      input: (_: Session, merchantId: string, { scope }: { scope?: KeyScope[] }) => ({
        merchant_id: merchantId,
        ...(scope && { scopes: scope }),
      }),
      print: (_, pair) => ({
        json: pair,
        text: `${facts(Object.entries<string>({ ...pair }))}\n\nThe secret is not shown again.`,
      }),
    },
  );
  act(
    merchant
      .command('revoke-key <merchant_id> <api_key>')
      .description('revoke an API key at once, such as a lost one'),
    {
      kind: 'merchant.revoke-key',
      input: (_: Session, merchantId: string, apiKey: string) => ({
        merchant_id: merchantId,
        api_key: apiKey,
      }),
      print: (_, revoked) => ({
        json: revoked,
        text: `${revoked.api_key} is revoked: the API denies every call with it from now on.`,
      }),
    },
  );
  act(
    merchant
      .command('rotate-webhook-secret <merchant_id>')
      .description(
        'make a new webhook secret, shown only once; webhooks are also signed with the previous one',
      ),
    {
      kind: 'merchant.rotate-webhook-secret',
      input: (_: Session, merchantId: string) => ({ merchant_id: merchantId }),
      print: (_, secret) => ({
        json: secret,
        text: `${facts(Object.entries<string>({ ...secret }))}\n\nThe secret is not shown again.`,
      }),
    },
  );
  merchantEndpointCommands(merchant, running);
}

function withSettings(command: Command): Command {
  return command
    .option('--callback-url <url>', 'the URL for webhooks about mobile money')
    .option('--webhook-url <url>', 'the URL for all other webhooks')
    .option('--return-url <url>', 'the URL that a wallet checkout returns to')
    .option('--cancel-url <url>', 'the URL that a cancelled wallet checkout returns to')
    .option('--wallet-currency <currency>', 'USD, KES, TZS or UGX')
    .option('--stk-cents <what>', 'for STK amounts with cents: floor (the default) or refuse')
    .option('--permission <permission>', 'can_payout or is_admin; repeatable, "" for none', collect)
    .option('--ip-allow <cidr>', 'addresses that may call the API; repeatable, "" for all', collect)
    .option(
      '--checkout-host <host>',
      'hosts that a hosted checkout may return to; repeatable, "" for none',
      collect,
    )
    .option('--stk-rate <n>', 'STK and cross-border requests per minute', readWholeNumber)
    .option('--stk-burst <n>', 'how many of them at once', readWholeNumber)
    .option('--api-rate <n>', 'all other requests per minute', readWholeNumber)
    .option('--api-burst <n>', 'how many of them at once', readWholeNumber)
    .option(
      '--duplicate-window <seconds>',
      'how long the API denies an equal payment as a double click; 120 by default, 0 for never',
      readWholeNumberOrNone,
    )
    .option(
      '--duplicate-alert <what>',
      'whether Malipo reports a reference that was paid twice: on (the default) or off',
    )
    .option(
      '--time-zone <zone>',
      'the time zone of the merchant\'s users in the portal, such as Africa/Lagos; "" for MALIPO_TIMEZONE',
    );
}

function readScope(word: string, before: readonly KeyScope[] = []): KeyScope[] {
  const scope = keyScopes.find((known) => known === word);
  if (!scope) throw new InvalidArgumentError(`must be one of ${keyScopes.join(', ')}`);
  return [...before, scope];
}

function settingsOf({ name, status, ...given }: Options) {
  return {
    ...{ name, status, permissions: given.permission, ip_allow: given.ipAllow },
    ...{ callback_url: given.callbackUrl, webhook_url: given.webhookUrl },
    ...{ return_url: given.returnUrl, cancel_url: given.cancelUrl, checkout_hosts: given.checkoutHost },
    ...{ wallet_currency: given.walletCurrency, stk_cents: given.stkCents },
    ...{ stk_rate: given.stkRate, stk_burst: given.stkBurst },
    ...{ api_rate: given.apiRate, api_burst: given.apiBurst },
    ...{
      duplicate_window_s: given.duplicateWindow,
      duplicate_alert: given.duplicateAlert,
      time_zone: given.timeZone,
    },
  };
}

function describe({ config }: Session, merchant: MerchantWithKeys): Report {
  const { api_keys: keys, ...described } = merchant;
  const clock = clockOf(config.timezone);
  const rows = keys.map((key) => [
    key.api_key,
    key.name ?? '',
    key.scopes.join(', '),
    clock(key.created_at),
    key.last_used_at ? clock(key.last_used_at) : '',
    key.revoked_at ? `revoked ${clock(key.revoked_at)}` : 'works',
  ]);
  return {
    json: merchant,
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
    json: { merchants: merchants.map(publicMerchant) },
    text:
      merchants.length === 0
        ? 'No merchants yet.'
        : table(['merchant', 'name', 'status', 'permissions'], rows),
  };
}

function wordsOf(
  value: Date | string[] | string | number | boolean | null,
  clock: (at: Date) => string,
): string {
  if (value instanceof Date) return clock(value);
  if (Array.isArray(value)) return value.join(', ');
  return value === null ? '' : String(value);
}
