/**
 * Account Balance (Safaricom's documentation of the API): asked by the initiator who asks for receipts, answered by a
 * result at an address of ours, most often within seconds. The result has one text of all accounts of the organisation,
 * `Working Account|KES|700000.00|700000.00|0.00|0.00&Utility Account|KES|…`: a name, a currency, what is there, and what of
 * it is free to spend, reserved and not cleared.
 *
 * Which account a collection comes to is not documented for each product: Safaricom's introduction of Pay Bill says the
 * utility account, integrators of newer shortcodes say the working account, and tills have a merchant account. They are
 * moved from one to another by hand or by a rule, too. So all of them together are the wallet, but for what charges have
 * cost, which is no money of the organisation and is told below zero.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../../domain/cut-text';
import {
  readWallets,
  type BalanceAnswer,
  type BalanceToldLater,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderAnswer } from '../../../../rail-kit/provider-http';
import type { StkSettings } from '../../settings';
import { darajaStatement } from './statement';
import { readStatusAcceptance, readStatusResult, shortcodeType, type Initiator } from './transaction-status';

/** A collection shows at once; what tells us of it may be a little late. */
const behindMs = 2 * 60_000;
/** Time to say what came of it, and how often a result is looked for. */
const marginMs = 1_000;
const lookEveryMs = 250;
/** Not in the wallet. */
const chargesPaid = 'Charges Paid Account';

type Send = (
  call: string,
  path: string,
  body: () => Record<string, unknown>,
  options: { timeoutMs: number },
) => Promise<ProviderAnswer | { kind: 'account_refused'; text: string }>;

/** @param callbackBase the address of ours that results come to, below which each has its own. */
export function darajaWallets(
  send: Send,
  { shortcode, baseUrl }: Pick<StkSettings, 'shortcode' | 'baseUrl'>,
  initiator: Initiator,
  callbackBase: string,
): AskableWallets {
  const question = (token: string) => ({
    Initiator: initiator.name,
    SecurityCredential: initiator.credential,
    CommandID: 'AccountBalance',
    PartyA: shortcode,
    IdentifierType: shortcodeType,
    Remarks: 'Balance',
    QueueTimeOutURL: `${callbackBase}/no-balance/${token}`,
    ResultURL: `${callbackBase}/balance/${token}`,
  });
  return {
    provider: darajaStatement.provider,
    title: 'Safaricom Daraja',
    payments: darajaStatement.payments,
    baseUrl,
    behindMs,
    keepsPerMille: 50,
    paysOut: false,
    async ask({ timeoutMs, questions }) {
      const deadline = Date.now() + timeoutMs - marginMs;
      const token = randomBytes(16).toString('hex');
      // Before it is sent: the result may overtake the answer.
      const before = await questions.ask(token);
      const path = '/mpesa/accountbalance/v1/query';
      const leftMs = Math.max(1, deadline - Date.now());
      const taken = readStatusAcceptance(
        await send('balance', path, () => question(token), { timeoutMs: leftMs }),
      );
      let answer: BalanceAnswer | undefined;
      while (taken.kind === 'asked' && !(answer = await questions.take(token)) && Date.now() < deadline)
        await delay(lookEveryMs, undefined, { ref: false });
      const why = taken.kind === 'asked' ? 'no result has come yet' : taken.text;
      return readAnswer(answer ?? before, why);
    },
  };
}

function readAnswer(answer: BalanceAnswer | undefined, otherwise: string): WalletsAnswer {
  if (!answer) return { kind: 'unknown', text: otherwise };
  if ('unreadable' in answer) return { kind: 'unknown', text: answer.unreadable };
  const { askedAt, balanceMinor } = answer;
  return { kind: 'told', wallets: [{ country: null, currency: 'KES', balanceMinor }], asOf: askedAt };
}

/** @returns undefined for anything that is not a result. */
export function readBalanceResult(body: string): BalanceToldLater | undefined {
  const result = readStatusResult(body);
  if (!result) return undefined;
  const { code, text, parameters } = result;
  if (code !== '0') return { unreadable: cutText(`${code} ${text}`, 200) };
  const accounts = (parameters['AccountBalance'] ?? '').split('&').map((account) => account.split('|'));
  // Fewer fields are no account, and more are two that ran into one.
  if (accounts.some(({ length }) => length < 3 || length > 6))
    return { unreadable: 'a result without balances' };
  const [wallet] = readWallets(
    accounts
      .filter(([name, currency]) => name !== chargesPaid && currency === 'KES')
      .map(([, currency, balance]) => ({ currency, balance })),
  );
  if (!wallet) return { unreadable: 'a result without an account in KES' };
  return 'unreadable' in wallet ? { unreadable: wallet.unreadable } : { balanceMinor: wallet.balanceMinor };
}
