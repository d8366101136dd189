/** The wallet balances that a provider reports: the true ones, or wrong ones set by the control API. */
import { centsOf, decimalOf } from './books';
import { ControlError } from './control-error';
import type { Journal } from './journal';

interface Lie {
  /** Decimal, two places: the reported balance is lower by this amount. */
  shortBy?: string;
  /** Reported to the letter. */
  says?: string;
}

export interface ReportedBalances {
  /** @param cents the true balance */
  of(wallet: string, cents: bigint): string;
  /** From the fields of a request; without either, the true balance is reported again. */
  lie(wallet: string, fields: { short_by?: unknown; says?: unknown }): void;
}

export function openReportedBalances(journal: Journal, provider: string): ReportedBalances {
  const lies = journal.collection<Lie>(`${provider}.told`);
  return {
    of(wallet, cents) {
      const { shortBy = '0.00', says } = lies.get(wallet) ?? {};
      return says ?? decimalOf(cents - centsOf(shortBy));
    },
    lie(wallet, { short_by: shortBy, says }) {
      if (shortBy !== undefined && (typeof shortBy !== 'string' || !/^\d{1,15}\.\d{2}$/.test(shortBy))) {
        throw new ControlError(400, 'short_by must be a string with two decimals, such as "1.00"');
      }
      if (says !== undefined && typeof says !== 'string') throw new ControlError(400, 'says must be a text');
      lies.put(wallet, { ...(shortBy !== undefined && { shortBy }), ...(says !== undefined && { says }) });
    },
  };
}

/** The control API's field names and help for a wrong balance. */
export const lieControl = {
  fields: '"short_by":"1.00" or "says":"1,200.00"',
  does: 'short_by lowers the reported balance, says replaces its text, and without both the true balance is reported.',
};
