/** Vouchers as seen by the merchant and the recipient of the mail. */
import { transferByHand } from '../../../tools/sandbox/transfer-by-hand';
import { walletBalance } from '../../../src/ledger/balances';
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import { call, type ApiAnswer } from '../merchant-client';
import type { Stack, TestMerchant } from '../stack';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Funds the merchant's wallet with this many cents. */
export function fund(stack: Stack, { merchantId }: TestMerchant, amountMinor: bigint): Promise<string> {
  return transferByHand(stack.db, {
    from: { class: 'bank', currency: 'KES' },
    to: { class: 'wallet', merchantId, currency: 'KES' },
    amountMinor,
    reason: 'funding',
    whenShort: 'BALANCE_INSUFFICIENT',
  });
}

export function walletOf(stack: Stack, { merchantId }: TestMerchant): Promise<bigint> {
  return walletBalance(stack.db, merchantId, 'KES');
}

export function create(
  stack: Stack,
  merchant: TestMerchant,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const body = { email: 'ana@example.org', amount: '250.00', currency: 'KES', ...changes };
  return call(stack, merchant, 'POST', '/api/v1/create_voucher', body, headers);
}

export function redeem(stack: Stack, merchant: TestMerchant, code: unknown): Promise<ApiAnswer> {
  return call(stack, merchant, 'POST', '/api/v1/redeem_voucher', { code });
}

export async function mailsTo(stack: Stack, address: string): Promise<Mail[]> {
  const response = await fetch(`${stack.simulatorUrl}/control/mail`);
  const { mails } = (await response.json()) as { mails: Mail[] };
  return mails.filter(({ to }) => to === address);
}

/** The code in the recipient's mail. */
export async function codeMailedTo(stack: Stack, address: string): Promise<string> {
  const [mail] = await waitFor(
    async () => {
      const mails = await mailsTo(stack, address);
      return mails.length > 0 && mails;
    },
    { what: `a mail to ${address}`, timeoutMs: 30_000 },
  );
  const code = /Your code: (\S+)/.exec(mail?.text ?? '')?.[1];
  if (code === undefined) throw new Error(`no code in ${mail?.text ?? 'no mail'}`);
  return code;
}

export async function stateOf(stack: Stack, { body }: ApiAnswer): Promise<string | undefined> {
  const voucher = await stack
    .db('vouchers')
    .where({ voucher_id: String(body.data?.voucher_id) })
    .first();
  return voucher?.state;
}
