/** The merchants of every sandbox: two shops of the user's own, and one for the demo. */
import type { KeptMerchant } from '../../src/cli/kept-sandbox';
import type { Currency } from '../../src/domain/money';
import { createMerchant, findMerchant } from '../../src/merchants/merchants';
import type { SecretBox } from '../../src/merchants/secrets';
import type { Database } from '../../src/store/database';
import { transferByHand } from './transfer-by-hand';

export interface SandboxMerchant extends KeptMerchant {
  merchant_id: string;
}

export interface SandboxMerchants {
  /** Two, so that one merchant's data can be tried with the other's keys. The first can pay out. */
  merchants: SandboxMerchant[];
  /** It makes the demo's payments, so that the user's own never change the demo's sums. */
  demo_merchant?: SandboxMerchant;
}

const [first, second, demo] = ['Demo Shop', 'Second Shop', 'Demo Payments'] as const;

/** What the first shop can pay out without asking an operator: enough for the guides. */
const floats: { rail: string; country: string | null; currency: Currency; minor: bigint }[] = [
  { rail: 'momo', country: 'ZMB', currency: 'ZMW', minor: 100_000n },
  { rail: 'momo', country: 'UGA', currency: 'UGX', minor: 500_000n },
  { rail: 'walletpay', country: null, currency: 'USD', minor: 50_000n },
];

/** Secrets are shown only once, so `kept` stores them between starts. */
export async function ensureMerchants(
  db: Database,
  box: SecretBox,
  kept: SandboxMerchants | undefined,
): Promise<Required<SandboxMerchants>> {
  const known = [...(kept?.merchants ?? []), ...(kept?.demo_merchant ? [kept.demo_merchant] : [])];
  const ensured = async (name: string, permissions: string[] = []) => {
    const own = known.find((merchant) => merchant.name === name);
    if (own !== undefined && (await findMerchant(db, own.merchant_id)) !== undefined) return own;
    const created = await createMerchant(db, box, { name, environment: 'sandbox', permissions });
    if (permissions.length > 0) await fillFloats(db, created.merchant_id);
    return { name, ...created };
  };
  return {
    merchants: [await ensured(first, ['can_payout']), await ensured(second)],
    demo_merchant: await ensured(demo),
  };
}

async function fillFloats(db: Database, merchantId: string): Promise<void> {
  for (const { rail, country, currency, minor: amountMinor } of floats) {
    await transferByHand(db, {
      from: { class: 'bank', currency },
      to: { class: 'float', merchantId, rail, country, currency },
      ...{ amountMinor, reason: 'npm start', whenShort: 'FLOAT_INSUFFICIENT' },
    });
  }
}
