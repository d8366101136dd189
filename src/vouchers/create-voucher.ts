import { v7 as uuid } from 'uuid';
import { PaymentError } from '../domain/errors';
import { formatAmount, type Currency } from '../domain/money';
import { dayIn } from '../domain/time';
import { voucherLifetimeMs } from '../domain/voucher';
import { openAccount } from '../ledger/accounts';
import { postEntry } from '../ledger/post-entry';
import { enqueueMail, type NewMail } from '../mail/enqueue-mail';
import { tieClaim } from '../payments/create/idempotency-claims';
import { commitPatienceMs } from '../payments/create/write-payment';
import type { Call } from '../rail-kit/endpoint';
import type { Database, Transaction } from '../store/database';
import type { VoucherRow } from '../store/tables';
import { CommitUnknown, inTransaction } from '../store/transaction';
import { mintVoucherCode, hashOfCode, inGroups } from './voucher-code';

export interface NewVoucher {
  email: string;
  currency: Currency;
  amountMinor: bigint;
  /** The deployment's time zone, for a merchant without its own. */
  timezone: string;
}

/**
 * Moves the amount out of the merchant's wallet and writes the mail with the code, in one transaction. The code exists
 * only in that mail: even the service cannot show it again.
 * @throws PaymentError BALANCE_INSUFFICIENT
 */
export async function createVoucher(
  db: Database,
  call: Pick<Call, 'merchant' | 'requestId' | 'idempotency' | 'expectKey'>,
  { email, currency, amountMinor, timezone }: NewVoucher,
): Promise<VoucherRow> {
  const { merchant, requestId, idempotency } = call;
  const voucherId = uuid();
  const code = mintVoucherCode();
  const now = new Date();
  const voucher: Omit<VoucherRow, 'mail_id'> = {
    key_hash: idempotency?.keyHash ?? null,
    ended_by: null,
    voucher_id: voucherId,
    merchant_id: merchant.merchant_id,
    workflow_id: `voucher/${voucherId}`,
    state: 'active',
    code_hash: hashOfCode(code),
    code_last4: code.slice(-4),
    email,
    currency,
    amount_minor: amountMinor.toString(),
    request_id: requestId,
    created_at: now,
    expires_at: new Date(now.getTime() + voucherLifetimeMs),
    finished_at: null,
    ...checkSoon(),
    signalled_at: null,
  };
  const accounts = await voucherAccounts(db, voucher);
  const write = async (trx: Transaction): Promise<VoucherRow> => {
    // An earlier attempt may be committed although its answer was lost; this read waits for it.
    const written = await trx('vouchers').where({ voucher_id: voucherId }).forUpdate().first();
    if (written) return written;
    await call.expectKey?.(trx);
    const mailId = await enqueueMail(
      trx,
      voucherMail(voucher, { name: merchant.name, zone: merchant.time_zone ?? timezone }, code),
    );
    await trx('vouchers').insert({ ...voucher, mail_id: mailId });
    if (idempotency) await tieClaim(trx, merchant.merchant_id, idempotency, voucherId);
    await postVoucher(trx, voucher, 'fund', accounts);
    return { ...voucher, mail_id: mailId };
  };
  try {
    return await inTransaction(db, write, { patienceMs: commitPatienceMs });
  } catch (error) {
    throw error instanceof CommitUnknown ? voucherUnknown(voucherId, error) : error;
  }
}

/**
 * No status query can tell whether a voucher was created or redeemed. A repeat of the request with the same key can.
 */
export function voucherUnknown(voucherId: string, cause: CommitUnknown): PaymentError {
  const message =
    'It is unknown whether the voucher was created or redeemed; repeat the request with the same Idempotency-Key';
  return new PaymentError('ACCEPTANCE_UNKNOWN', { message, extra: { voucher_id: voucherId }, cause });
}

export async function getVoucherOrThrow(db: Database, voucherId: string): Promise<VoucherRow> {
  const voucher = await db('vouchers').where({ voucher_id: voucherId }).first();
  if (!voucher) throw new Error(`no voucher ${voucherId}`);
  return voucher;
}

// When the voucher's next check is due at the latest. Its workflow checks by itself; the sweeper signals the workflow
// when this time is over. The times are wall-clock times: the sandbox's clock moves workflows, and not these.

/** How late a check may be. Until then, its workflow or the signal to it is probably in progress. */
const graceMs = 60_000;
/** A mail that failed is retried after half a minute, and an attempt may take three times as long. */
const mailedAgainWithinMs = 300_000;

type Planned = Pick<VoucherRow, 'next_check_at' | 'signals'>;

/** Just created or redeemed: its workflow must be signalled. */
export function checkSoon(): Planned {
  return { next_check_at: new Date(Date.now() + graceMs), signals: 0 };
}

/** The voucher has ended, and its workflow knows. */
export const noMoreChecks: Planned = { next_check_at: null, signals: 0 };

/** Nothing happens before its last day. */
export function checkWhenOver({ expires_at: expiresAt }: Pick<VoucherRow, 'expires_at'>): Planned {
  return { next_check_at: new Date(expiresAt.getTime() + graceMs), signals: 0 };
}

/** Its mail is being retried. */
export function checkAfterNextTry(): Planned {
  return { next_check_at: new Date(Date.now() + mailedAgainWithinMs), signals: 0 };
}

type Funded = Pick<VoucherRow, 'voucher_id' | 'merchant_id' | 'currency' | 'amount_minor'>;

/** Opens the accounts, outside the transaction that will post. */
export async function voucherAccounts(db: Database, { merchant_id: merchantId, currency }: Funded) {
  const [wallet, vouchers] = await Promise.all([
    openAccount(db, { class: 'wallet', merchantId, currency }),
    openAccount(db, { class: 'vouchers', currency }),
  ]);
  return { wallet, vouchers };
}

type VoucherAccounts = Awaited<ReturnType<typeof voucherAccounts>>;

/**
 * `fund` moves the amount from the wallet to the vouchers account; `redeem` and `expire` move it back.
 * @throws PaymentError BALANCE_INSUFFICIENT when the wallet balance is too low.
 */
export async function postVoucher(
  trx: Transaction,
  voucher: Funded,
  leg: 'fund' | 'redeem' | 'expire',
  { wallet, vouchers }: VoucherAccounts,
): Promise<void> {
  const amountMinor = BigInt(voucher.amount_minor);
  const [from, to] = leg === 'fund' ? [wallet, vouchers] : [vouchers, wallet];
  await postEntry(trx, {
    source: { type: 'voucher', id: voucher.voucher_id, leg },
    whenShort: 'BALANCE_INSUFFICIENT',
    lines: [
      { account: from, amountMinor: -amountMinor },
      { account: to, amountMinor },
    ],
  });
}

type MailedVoucher = Pick<VoucherRow, 'email' | 'currency' | 'amount_minor' | 'code_last4' | 'expires_at'>;

/** The mail with the code. The text that is stored after sending contains only the code's last four characters. */
export function voucherMail(
  voucher: MailedVoucher,
  merchant: { name: string; /** IANA name */ zone: string },
  code: string,
): NewMail {
  const from = merchant.name.replace(/\p{Cc}+/gu, ' ');
  const worth = `${voucher.currency} ${formatAmount(BigInt(voucher.amount_minor), voucher.currency)}`;
  const text = (shown: string) =>
    [
      `You have received a voucher worth ${worth} from ${from}.`,
      '',
      `Your code: ${shown}`,
      '',
      `Give it to ${from} to use it. It can be used once, until ${dayIn(merchant.zone, voucher.expires_at)}.`,
      'Do not share it: anyone who has the code can use the voucher.',
      '',
    ].join('\n');
  return {
    paymentId: null,
    kind: 'voucher',
    to: voucher.email,
    subject: `A voucher worth ${worth}`,
    text: text(inGroups(code)),
    redactedText: text(`****-****-****-${voucher.code_last4}`),
  };
}
