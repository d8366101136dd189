import type { Environment } from '../../../../config';
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import type { AccessToken } from '../../../../rail-kit/access-token';
import type { ProviderCheckup } from '../../../../rail-kit/provider-checkups';
import type { StkSettings } from '../../settings';

/** Safaricom's developer portal names it as its sandbox's own (Lipa na M-Pesa Online, test credentials). */
const sandboxShortcode = '174379';
/** Words that addresses must not hold, as the portal says of Customer to Business; single rules go beyond them. */
const refusedWords = /m-?pesa|safaricom|\bexec?\b|\bcmd\b|\bsql\b|\bquery\b/i;

const credentials =
  'STK_CONSUMER_KEY and STK_CONSUMER_SECRET; on developer.safaricom.co.ke, My Apps, the app of this environment';

/** The provider has nothing to read but a token: no balance, no settings, no list of addresses. */
export function darajaCheckups(
  stk: StkSettings,
  { environment, callbackBase }: { environment: Environment; callbackBase: string },
  token: Pick<AccessToken, 'get'>,
): ProviderCheckup[] {
  return [
    {
      name: 'token',
      async examine({ timeoutMs }) {
        const given = await token.get(timeoutMs);
        // Asked for anew only where our processes have none: a new token ends the one that they use.
        if (given.kind === 'token') return [ok('The consumer key and secret have a token that lives.')];
        if (given.kind === 'refused') return [fault(`No token is given (${given.text}).`, credentials)];
        return [fault(`The provider gave no token, and no refusal (${given.text}).`)];
      },
    },
    { name: 'shortcode', examine: () => Promise.resolve(shortcode(stk, environment)) },
    {
      name: 'callback rules',
      examine: () => Promise.resolve([callbackRules(stk, callbackBase, environment)]),
    },
  ];
}

function shortcode(stk: StkSettings, environment: Environment): Diagnosis[] {
  const untold = attention(
    `Shortcode ${stk.shortcode} (${stk.transactionType}, credited to ${stk.partyB}) and its passkey are only proven by a first push: there is nothing to ask.`,
    'docs/going-live.md: a push of the smallest amount to a handset of your own',
  );
  if (environment === 'sandbox' || stk.shortcode !== sandboxShortcode) return [untold];
  return [
    fault(
      `${sandboxShortcode} is the shortcode of the provider's sandbox.`,
      'STK_SHORTCODE and STK_PASSKEY; the mail that grants Lipa na M-Pesa Online tells yours',
    ),
    untold,
  ];
}

function callbackRules(
  { callbackAddresses }: StkSettings,
  callbackBase: string,
  environment: Environment,
): Diagnosis {
  const [word] = refusedWords.exec(callbackBase) ?? [];
  if (word !== undefined) {
    return attention(
      `The callback address has "${word}" in it, a word that the provider is known to refuse.`,
      'MALIPO_PUBLIC_URL, another host name',
    );
  }
  if (environment === 'live' && callbackAddresses.length === 0) {
    return attention(
      'Callbacks are taken from any address that knows their path; they are not signed.',
      "STK_CALLBACK_ADDRESSES with the provider's addresses, where your proxy passes the caller's on",
    );
  }
  return ok('Every prompt names its own callback address; nothing is registered.');
}
