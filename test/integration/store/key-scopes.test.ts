/** A key without scopes may collect, but not pay out. */
import { randomBytes } from 'node:crypto';
import { secretBox } from '../../../src/merchants/secrets';
import { aMerchant } from '../../support/users/users-support';
import { createTestDatabase } from '../../support/database';

it('cannot pay out with the database’s default scopes', async () => {
  const test = await createTestDatabase();
  try {
    const merchant_id = await aMerchant(test.db, secretBox([{ id: 'test', key: randomBytes(32) }]));
    const own = {
      api_key: 'pk_test_without',
      merchant_id,
      secret_hash: randomBytes(32),
      created_at: new Date(),
    };
    await test.db('api_keys').insert(own);
    const keys = await test.db('api_keys').where({ merchant_id }).orderBy('scopes').pluck('scopes');
    expect(keys).toEqual(['read,collect', 'read,collect,payout']);
  } finally {
    await test.drop();
  }
});
