/** The page's ways to pay, and what the status call returns for each. Nothing that a customer types is stored. */

/** One choice within a way to pay. */
export interface Instrument {
  /** `payment_method` of the status call. */
  wire: string;
  name: string;
  /** The page's text for the test instrument. */
  shown: string;
  /** `payment_account`, masked. */
  account: string;
}

export const ways = {
  card: { title: 'Card', isCard: true },
  mobile: { title: 'Mobile money', isCard: false },
  bank: { title: 'Bank', isCard: false },
} as const;
export type Way = keyof typeof ways;

export function isWay(value: unknown): value is Way {
  return typeof value === 'string' && Object.hasOwn(ways, value);
}

const cards: readonly Instrument[] = [
  { wire: 'Visa', name: 'Visa test card', shown: '4111 1111 1111 1111', account: '411111**1111' },
  { wire: 'MasterCard', name: 'Mastercard test card', shown: '5555 5555 5555 4444', account: '555555**4444' },
];

type Network = readonly [wire: string, name: string];
const kenyan: readonly Network[] = [
  ['MpesaKE', 'M-PESA'],
  ['AirtelKE', 'Airtel Money'],
];
const networks: Partial<Record<string, readonly Network[]>> = {
  UGX: [
    ['MTNUG', 'MTN MoMo'],
    ['AirtelUG', 'Airtel Money'],
  ],
  TZS: [
    ['MpesaTZ', 'M-PESA'],
    ['TigoTZ', 'Tigo Pesa'],
  ],
};

const banks: readonly Instrument[] = [
  { wire: 'BankTransfer', name: 'Test Bank', shown: 'Account 0110 0000 4411', account: '0110****4411' },
];

const TEST_PHONE = '254700000001';

/** @param phone of the billing address, if any */
export function instrumentsOf(way: Way, currency: string, phone = TEST_PHONE): readonly Instrument[] {
  if (way === 'card') return cards;
  if (way === 'bank') return banks;
  const digits = phone.replace(/\D/g, '');
  return (networks[currency] ?? kenyan).map(([wire, name]) => ({
    wire,
    name,
    shown: `+${digits.slice(0, 4)} ••• ${digits.slice(-3)}`,
    account: `${digits.slice(0, 4)}****${digits.slice(-4)}`,
  }));
}
