import { attention, fault, ok } from '../../domain/diagnosis';
import { differenceOf, grantsOf, type Grant } from '../../store/account-grants';
import type { Checkup } from './checkup';

/** What whoever takes one of our processes over could do to the database. */
export const accountCheckups: Checkup[] = [
  {
    name: 'database account',
    async examine({ db }) {
      const [[row]] = (await db.raw('SELECT DATABASE() AS name')) as unknown as [[{ name: string }]];
      const held = await grantsOf(db, row.name);
      const { missing, excess, beyond } = differenceOf(held);
      const powers = [...excess, ...beyond];
      // Who may do everything lacks nothing; each grant of its own is not looked for.
      const isBroad = powers.some(
        ({ kind, privileges }) => kind !== 'TABLE' && privileges.includes('ALL PRIVILEGES'),
      );
      if (missing.length > 0 && !isBroad) {
        return fault(`The account lacks ${tell(missing)}; run the migration, which grants it.`);
      }
      if (powers.length === 0) return ok('The account can do what the service needs, and no more.');
      return attention(
        `The account can do more than the service needs: ${tell(powers)}. Give the migration an account of its own (MALIPO_MIGRATE_DATABASE_URL).`,
      );
    },
  },
];

const placeOf = { TABLE: '', PROCEDURE: 'procedure ', SCHEMA: 'the whole schema', OTHER: '' } as const;

function tell(grants: readonly Grant[]): string {
  return grants
    .map(({ kind, on, privileges }) => `${privileges.join(', ')} on ${placeOf[kind]}${on}`)
    .join('; ');
}
