/** The operators' regular work on a running Malipo. */
import { versionGoes, versionJoins } from '../../chaos/support/versions';
import type { World } from '../../chaos/support/world';

export interface SoakJob {
  name: string;
  /** The process that it ends. */
  ends?: 'api' | 'worker';
  do(world: World): Promise<unknown>;
}

const command = (...args: string[]): SoakJob => ({
  name: `malipo ${args.join(' ')}`,
  do: ({ operator }) => operator.malipo(...args),
});

async function killed({ stack }: World, name: 'api' | 'worker'): Promise<void> {
  await stack.kill(name);
  await stack.start(name);
}

async function restarted({ stack }: World, name: 'api' | 'worker'): Promise<void> {
  for (const member of stack.names(name)) await stack.restart(member);
}

const statement: SoakJob = {
  name: 'malipo reconcile walletpay',
  do: ({ operator }) => {
    const today = new Date().toISOString().slice(0, 10);
    return operator.malipo('reconcile', 'walletpay', '--from', today, '--to', today);
  },
};

const webhookSecret: SoakJob = {
  name: 'malipo merchant rotate-webhook-secret',
  do: ({ merchants, operator }) =>
    Promise.all(
      merchants.map(({ merchantId }) => operator.malipo('merchant', 'rotate-webhook-secret', merchantId)),
    ),
};

/** Merchants use their key until it is revoked: the older one is, once they have the newer one. */
const apiKey: SoakJob = {
  name: 'malipo merchant rotate-key, and revoke-key of the older one',
  async do({ merchants, operator }) {
    for (const merchant of merchants) {
      const output = await operator.malipo('merchant', 'rotate-key', merchant.merchantId, '--json');
      const made = JSON.parse(output) as { api_key: string; api_secret: string };
      const older = merchant.apiKey;
      Object.assign(merchant, { apiKey: made.api_key, apiSecret: made.api_secret });
      await operator.malipo('merchant', 'revoke-key', merchant.merchantId, older);
    }
  },
};

export const recurringJobs: readonly SoakJob[] = [
  { name: 'the API is restarted', ends: 'api', do: (world) => restarted(world, 'api') },
  { name: 'the worker is restarted', ends: 'worker', do: (world) => restarted(world, 'worker') },
  command('prune'),
  { name: 'the API is killed', ends: 'api', do: (world) => killed(world, 'api') },
  apiKey,
  { name: 'the worker is killed', ends: 'worker', do: (world) => killed(world, 'worker') },
  statement,
  {
    name: 'a second version of the workers starts, and stops',
    async do(world) {
      await versionJoins(world);
      await versionGoes(world);
    },
  },
  webhookSecret,
  command('secrets', 're-encrypt'),
  command('ledger', 'digest'),
  command('verify', '--changes'),
];
