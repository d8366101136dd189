/** What a provider tells of its wallets: what is there, or what somebody at the controls has it say instead. */
import { centsOf, decimalOf } from './books';
import { ControlError } from './control-error';
import type { Journal } from './journal';

interface Lie {
  /** Decimal, two places: so much less is told than there is. */
  shortBy?: string;
  /** Told word for word. */
  says?: string;
}

export interface ToldBalances {
  /** @param cents what there is. */
  of(wallet: string, cents: bigint): string;
  /** From the fields of a request; without either, the truth is told again. */
  lie(wallet: string, fields: { short_by?: unknown; says?: unknown }): void;
}

export function openToldBalances(journal: Journal, provider: string): ToldBalances {
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

/** As a control names what it does to a balance. */
export const lieControl = {
  fields: '"short_by":"1.00" or "says":"1,200.00"',
  does: 'short_by has less told than there is, says the text itself, and neither of them the truth again.',
};
