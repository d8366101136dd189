import type { Command } from 'commander';
import { formatAmount } from '../domain/money';
import type { Report, Running } from './report';
import type { Session } from './session';
import { count, table, clockOf } from './table';

const shownMax = 100;

export function voucherCommands(program: Command, { run }: Running): void {
  program
    .command('voucher')
    .description('vouchers: codes that are worth money')
    .command('list')
    .option('--merchant <id>', 'only vouchers of this merchant')
    .option('--state <state>', 'only this state: active, redeemed or expired')
    .description('list the newest vouchers, without their codes: only the recipients know them')
    .action(run(list));
}

async function list(
  { context, config }: Session,
  { merchant, state }: { merchant?: string; state?: string },
): Promise<Report> {
  const query = context.db('vouchers').orderBy('created_at', 'desc').limit(shownMax);
  for (const [column, word] of Object.entries({ merchant_id: merchant, state })) {
    // These columns are ASCII; the database refuses to compare them with other characters.
    if (word !== undefined) void query.where(column, /^[\x21-\x7e]+$/.test(word) ? word : '');
  }
  const vouchers = (await query).map((voucher) => ({
    voucher_id: voucher.voucher_id,
    merchant_id: voucher.merchant_id,
    workflow_id: voucher.workflow_id,
    state: voucher.state,
    code_last4: voucher.code_last4,
    amount: formatAmount(BigInt(voucher.amount_minor), voucher.currency),
    currency: voucher.currency,
    created_at: voucher.created_at,
    expires_at: voucher.expires_at,
  }));
  const clock = clockOf(config.timezone);
  return {
    json: { vouchers },
    text:
      vouchers.length === 0
        ? 'No voucher matches.'
        : `${table(
            ['voucher', 'state', 'code', 'amount', 'made', 'expires', 'merchant'],
            vouchers.map((v) => [
              v.voucher_id,
              v.state,
              `…${v.code_last4}`,
              `${v.amount} ${v.currency}`,
              clock(v.created_at),
              clock(v.expires_at),
              v.merchant_id,
            ]),
          )}\n\n${count(vouchers.length, 'voucher')} shown.`,
  };
}
