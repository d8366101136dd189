/** A provider's limits of one payment, per currency. */
export interface Limits {
  currency: string;
  symbol: string;
  decimals: 'TWO_PLACES' | 'NONE';
  min: string;
  max: string;
}

const currency =
  (code: string, symbol: string, decimals: Limits['decimals']) =>
  (min: string, max: string): Limits => ({ currency: code, symbol, decimals, min, max });

/** M-Pesa, and the francs and shillings, accept only whole units. */
export const limits = {
  ZMW: currency('ZMW', 'K', 'TWO_PLACES'),
  KES: currency('KES', 'KSh', 'NONE'),
  UGX: currency('UGX', 'USh', 'NONE'),
  TZS: currency('TZS', 'TSh', 'NONE'),
  RWF: currency('RWF', 'R₣', 'NONE'),
  GHS: currency('GHS', 'GH₵', 'TWO_PLACES'),
  XOF: currency('XOF', 'CFA', 'NONE'),
  XAF: currency('XAF', 'FCFA', 'NONE'),
  MWK: currency('MWK', 'MK', 'TWO_PLACES'),
  MZN: currency('MZN', 'MT', 'TWO_PLACES'),
  CDF: currency('CDF', 'FC', 'TWO_PLACES'),
  USD: currency('USD', '$', 'TWO_PLACES'),
  SLE: currency('SLE', 'Le', 'TWO_PLACES'),
};
