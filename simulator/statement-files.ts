/** The statements of the providers as files: as each exports it, or as its API answers. */
import { ControlError } from './control-error';
import { cardprocStatement } from './providers/cardproc/statement';
import { pawapayStatement } from './providers/momo/statement';
import { mpesaStatement } from './providers/stk/statement';
import { transactionsOf } from './providers/walletpay/statement';
import { invoicesOf } from './providers/xb/statement';
import type { StatementLine } from './statement-lines';

interface Format {
  type: string;
  write(lines: readonly StatementLine[]): string;
}

const formats: Record<string, Format> = {
  stk: { type: 'text/csv', write: mpesaStatement },
  momo: { type: 'text/csv', write: pawapayStatement },
  xb: { type: 'application/json', write: (lines) => JSON.stringify({ results: invoicesOf(lines) }) },
  walletpay: {
    type: 'application/json',
    write: (lines) => JSON.stringify({ transaction_details: transactionsOf(lines), total_pages: 1 }),
  },
  cardproc: { type: 'text/csv', write: cardprocStatement },
};

/** @throws ControlError where no provider is named. */
export function statementFile(
  provider: string | undefined,
  linesOf: (provider: string) => StatementLine[],
): { type: string; body: string } {
  const format = provider === undefined ? undefined : formats[provider];
  if (provider === undefined || !format)
    throw new ControlError(400, `provider must be one of: ${Object.keys(formats).join(', ')}`);
  return { type: format.type, body: format.write(linesOf(provider)) };
}
