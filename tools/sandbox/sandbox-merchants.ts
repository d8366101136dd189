/** The two merchants that every sandbox has. */
import type { KeptMerchant } from '../../src/cli/kept-sandbox';
import { createMerchant, findMerchant } from '../../src/merchants/merchants';
import type { SecretBox } from '../../src/merchants/secrets';
import type { Database } from '../../src/store/database';

export interface SandboxMerchant extends KeptMerchant {
  merchant_id: string;
}

/** Two, so that what belongs to one can be tried with the keys of the other. */
const names = ['Demo Shop', 'Second Shop'];

/** Secrets are shown only once, so `kept` is where they are remembered between starts. */
export async function ensureMerchants(
  db: Database,
  box: SecretBox,
  kept: SandboxMerchant[],
): Promise<SandboxMerchant[]> {
  const merchants: SandboxMerchant[] = [];
  for (const name of names) {
    const known = kept.find((merchant) => merchant.name === name);
    const usable = known !== undefined && (await findMerchant(db, known.merchant_id)) !== undefined;
    merchants.push(usable ? known : await newMerchant(db, box, name));
  }
  return merchants;
}

async function newMerchant(db: Database, box: SecretBox, name: string): Promise<SandboxMerchant> {
  const created = await createMerchant(db, box, { name, environment: 'sandbox' });
  return { name, ...created };
}
