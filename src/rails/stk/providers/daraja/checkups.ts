import type { Environment } from '../../../../config';
import { attention, fault, ok, type Diagnosis } from '../../../../domain/diagnosis';
import type { AccessToken } from '../../../../rail-kit/access-token';
import type { ProviderCheckup } from '../../../../rail-kit/provider-checkups';
import type { StkSettings } from '../../settings';

/** The sandbox's shortcode in Safaricom's developer portal (Lipa na M-Pesa Online, test credentials). */
const sandboxShortcode = '174379';
/** Words that addresses must not contain, as the portal says for Customer to Business; some rules go further. */
const refusedWords = /m-?pesa|safaricom|\bexec?\b|\bcmd\b|\bsql\b|\bquery\b/i;

const credentials =
  'STK_CONSUMER_KEY and STK_CONSUMER_SECRET; on developer.safaricom.co.ke, My Apps, the app of this environment';

/** Only the token can be checked: the provider has no API for balance, settings or addresses here. */
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
        // Requests a token only if no process has one: a new token invalidates the one in use.
        if (given.kind === 'token') return [ok('The consumer key and secret have a valid token.')];
        if (given.kind === 'refused')
          return [fault(`The provider rejects the request for a token (${given.text}).`, credentials)];
        return [fault(`The provider gave neither a token nor a rejection (${given.text}).`)];
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
  const unreported = attention(
    `Shortcode ${stk.shortcode} (${stk.transactionType}, credited to ${stk.partyB}) and its passkey can only be verified by a first push: the provider has no call for it.`,
    'docs/going-live.md: a push of the smallest amount to a handset of your own',
  );
  if (environment === 'sandbox' || stk.shortcode !== sandboxShortcode) return [unreported];
  return [
    fault(
      `${sandboxShortcode} is the shortcode of the provider's sandbox.`,
      'STK_SHORTCODE and STK_PASSKEY; the mail that grants Lipa na M-Pesa Online contains yours',
    ),
    unreported,
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
      `The callback address contains "${word}", a word that the provider is known to reject.`,
      'MALIPO_PUBLIC_URL, another host name',
    );
  }
  if (environment === 'live' && callbackAddresses.length === 0) {
    return attention(
      'The service accepts callbacks from every address that knows their path; they are not signed.',
      "STK_CALLBACK_ADDRESSES with the provider's addresses, if your proxy forwards the caller's address",
    );
  }
  return ok('Every prompt names its own callback address; nothing is registered.');
}
