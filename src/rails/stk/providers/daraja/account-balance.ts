/**
 * Account Balance (Safaricom's documentation of the API). The initiator that also requests receipts sends the query.
 * The result arrives at our address, mostly within seconds. It has one text with all accounts of the organisation,
 * `Working Account|KES|700000.00|700000.00|0.00|0.00&Utility Account|KES|…`: name, currency, total, and the parts that
 * are available, reserved and uncleared.
 *
 * The account of a collection is not documented for every product. Safaricom's introduction of Pay Bill says the
 * utility account, integrators of newer shortcodes say the working account, and tills have a merchant account. Users or
 * rules also move money between them. So the wallet is the sum of all accounts, without the account of paid charges: it
 * is no money of the organisation, and is reported below zero.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cutText } from '../../../../domain/cut-text';
import {
  readWallets,
  type BalanceAnswer,
  type LaterBalance,
  type AskableWallets,
  type WalletsAnswer,
} from '../../../../rail-kit/provider-wallets';
import type { ProviderResponse } from '../../../../rail-kit/provider-http';
import type { StkSettings } from '../../settings';
import { darajaStatement } from './statement';
import { readStatusSubmission, readStatusResult, shortcodeType, type Initiator } from './transaction-status';

/** A collection shows at once; its notification to us may be a little late. */
const behindMs = 2 * 60_000;
/** The time that is left for the answer, and the interval between two checks for a result. */
const marginMs = 1_000;
const checkEveryMs = 250;
/** Not part of the wallet. */
const chargesPaid = 'Charges Paid Account';

type Send = (
  call: string,
  path: string,
  body: () => Record<string, unknown>,
  options: { timeoutMs: number },
) => Promise<ProviderResponse | { kind: 'account_refused'; text: string }>;

/** @param callbackBase our address for results, below which each has its own. */
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
      // Stored before the request is sent: the result may arrive before the answer.
      const before = await questions.ask(token);
      const path = '/mpesa/accountbalance/v1/query';
      const leftMs = Math.max(1, deadline - Date.now());
      const taken = readStatusSubmission(
        await send('balance', path, () => question(token), { timeoutMs: leftMs }),
      );
      let answer: BalanceAnswer | undefined;
      while (taken.kind === 'asked' && !(answer = await questions.take(token)) && Date.now() < deadline)
        await delay(checkEveryMs, undefined, { ref: false });
      const why = taken.kind === 'asked' ? 'no result has arrived yet' : taken.text;
      return readAnswer(answer ?? before, why);
    },
  };
}

function readAnswer(answer: BalanceAnswer | undefined, otherwise: string): WalletsAnswer {
  if (!answer) return { kind: 'unknown', text: otherwise };
  if ('unreadable' in answer) return { kind: 'unknown', text: answer.unreadable };
  const { askedAt, balanceMinor } = answer;
  return { kind: 'reported', wallets: [{ country: null, currency: 'KES', balanceMinor }], asOf: askedAt };
}

/** @returns undefined for anything that is not a result. */
export function readBalanceResult(body: string): LaterBalance | undefined {
  const result = readStatusResult(body);
  if (!result) return undefined;
  const { code, text, parameters } = result;
  if (code !== '0') return { unreadable: cutText(`${code} ${text}`, 200) };
  const accounts = (parameters['AccountBalance'] ?? '').split('&').map((account) => account.split('|'));
  // Fewer fields are no account, and more are two accounts in one.
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
