/** Errors in the records of customers who paid twice, planted in a test; see corruptions.ts. */
import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../../src/store/database';
import { openCase } from '../../../src/controls/cases';
import type { Books } from './books';
import type { Corruption } from './corruptions';

/** Two payments of one reference, the second correctly flagged. */
async function plantTwice(trx: Transaction, first: string, second: string): Promise<void> {
  const reference = { reference_key: randomBytes(32), paid_at: new Date() };
  await trx('paid_references').insert([
    { ...reference, n: 1, payment_id: first },
    { ...reference, n: 2, payment_id: second, duplicate_of: first },
  ]);
  await plantReported(trx, second, first);
}

async function plantReported(trx: Transaction, paymentId: string, first: string): Promise<void> {
  await trx('payments')
    .where({ payment_id: paymentId })
    .update({ details: JSON.stringify({ possible_duplicate_of: first }) as never });
}

export const duplicateCorruptions: Corruption[] = [
  ...(['failed', 'refunded', 'converted'] as const).map((other) => ({
    seenBy: ['D1'],
    what: `a duplicate of a payment that is ${other}`,
    async plant(trx: Transaction, books: Books) {
      await plantTwice(trx, books[other], books.secondSucceeded);
      return books.secondSucceeded;
    },
  })),
  {
    seenBy: ['D1'],
    what: 'a duplicate of a payment of another reference',
    async plant(trx, { succeeded, secondSucceeded }) {
      await plantTwice(trx, succeeded, secondSucceeded);
      await trx('paid_references')
        .where({ payment_id: succeeded })
        .update({ reference_key: randomBytes(32) });
      return secondSucceeded;
    },
  },
  {
    seenBy: ['D1'],
    what: 'a duplicate that its payment does not report',
    async plant(trx, { succeeded, secondSucceeded }) {
      await plantTwice(trx, succeeded, secondSucceeded);
      await trx('payments')
        .where({ payment_id: secondSucceeded })
        .update({ details: '{}' as never });
      return secondSucceeded;
    },
  },
  {
    seenBy: ['D1'],
    what: 'a payment that is reported as a duplicate without a record of it',
    async plant(trx, { succeeded, secondSucceeded }) {
      await plantReported(trx, secondSucceeded, succeeded);
      return secondSucceeded;
    },
  },
  {
    seenBy: ['D1'],
    what: 'an open duplicate case about a payment that is no duplicate',
    async plant(trx, { succeeded }) {
      await openCase(trx, succeeded, { reason: 'duplicate_payment', detail: 'planted' });
      const found = await trx('cases')
        .where({ payment_id: succeeded, reason: 'duplicate_payment' })
        .first('case_id');
      return `case ${found?.case_id ?? ''}`;
    },
  },
];
