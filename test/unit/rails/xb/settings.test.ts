import { readXbSettings } from '../../../../src/rails/xb/settings';
import { accountOf } from '../../../../src/rail-kit/rail';
import { createRails } from '../../../../src/rails';
import type { Environment } from '../../../../src/config';
import { ownTokens } from '../../../support/own-tokens';
import { silentLog } from '../../../support/silent-log';

const account = {
  XB_BASE_URL: 'https://xb.example',
  XB_SECRET_KEY: 'secret',
  XB_PUBLISHABLE_KEY: 'publishable',
  XB_CHALLENGE: 'a-challenge-of-thirty-two-characters',
};
const mobileMoney = { MOMO_BASE_URL: 'https://momo.example', MOMO_TOKEN: 'token' };

function railOf(environment: Environment, env: NodeJS.ProcessEnv) {
  const settings = {
    environment,
    publicUrl: 'https://pay.example',
    timezone: 'Africa/Nairobi',
    timeScale: 1,
  };
  const [rail] = createRails({ ...settings, env, log: silentLog, tokens: ownTokens(), observe: () => {} }, [
    'xb',
  ]);
  if (!rail) throw new Error('no rail');
  return rail;
}

it('live collects both currencies through the mobile money account, because that way is documented', () => {
  const { providers, intasend } = readXbSettings({ MALIPO_ENV: 'live' });
  expect([providers, intasend]).toEqual([{ UGX: 'pawapay', TZS: 'pawapay' }, undefined]);
  expect(
    railOf('live', mobileMoney)
      .notificationRoutes({} as never)
      .map(({ path }) => path),
  ).toEqual(['/in/xb/pawapay']);
});

it('a pause of the mobile money account pauses payments through it, and no others', () => {
  const rail = railOf('sandbox', { ...account, ...mobileMoney });
  expect(accountOf(rail, { kind: 'deposit', provider: 'pawapay' })).toBe('momo');
  expect(accountOf(rail, { kind: 'deposit', provider: 'intasend' })).toBe('xb');
});

it('the sandbox uses both, one currency each', () => {
  expect(readXbSettings(account).providers).toEqual({ UGX: 'intasend', TZS: 'pawapay' });
  const { notificationRoutes } = railOf('sandbox', { ...account, ...mobileMoney });
  expect(notificationRoutes({} as never).map(({ path }) => path)).toEqual(['/in/xb', '/in/xb/pawapay']);
});

it.each<[string, Environment, NodeJS.ProcessEnv, RegExp]>([
  ['no account at pawaPay', 'live', {}, /MOMO_TOKEN must be set/],
  ['half an account at pawaPay', 'live', { MOMO_TOKEN: 'token' }, /MOMO_BASE_URL/],
  [
    'no account at IntaSend',
    'live',
    { ...mobileMoney, XB_PROVIDER_UGX: 'intasend' },
    /XB_SECRET_KEY.* must be set where/,
  ],
  [
    'half an account at IntaSend',
    'live',
    { ...mobileMoney, XB_SECRET_KEY: 'secret' },
    /XB_CHALLENGE must be set beside/,
  ],
  [
    'a provider that there is not',
    'sandbox',
    { ...account, ...mobileMoney, XB_PROVIDER_TZS: 'mpesa' },
    /XB_PROVIDER_TZS/,
  ],
])('does not start with %s if one is required', (_what, environment, env, why) => {
  expect(() => railOf(environment, env)).toThrow(why);
});

it('a payment of a provider whose account is no longer configured is unknown, and never failed', async () => {
  const rail = railOf('live', mobileMoney);
  const operation = rail.operations.deposit;
  const call = { timeoutMs: 1_000, requestId: 'r', attempt: 1 };
  const payment = { provider: 'intasend' } as never;
  expect(await operation?.retrieveStatus(payment, call)).toMatchObject({ kind: 'unknown' });
  expect(await operation?.initiate(payment, call)).toMatchObject({ kind: 'not_sent' });
});
