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
  {
    name: 'database line',
    async examine({ db, config }) {
      const [[row]] = (await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as unknown as [
        [{ Value: string } | undefined],
      ];
      if (row?.Value) return ok(`The line to the database is encrypted (${row.Value}).`);
      const sentence = 'The line to the database is not encrypted; see ssl-ca in docs/production.md.';
      return config.environment === 'live'
        ? attention(sentence)
        : ok('Not encrypted; a sandbox does not need it.');
    },
  },
];

const placeOf = { TABLE: '', PROCEDURE: 'procedure ', SCHEMA: 'the whole schema', OTHER: '' } as const;

function tell(grants: readonly Grant[]): string {
  return grants
    .map(({ kind, on, privileges }) => `${privileges.join(', ')} on ${placeOf[kind]}${on}`)
    .join('; ');
}
