/** The last word of every test that moves money: `malipo verify` finds nothing. */
import { ownTokens } from './own-tokens';
import { silentLog } from './silent-log';
import { verify } from '../../src/ops/verify/verify';
import { railsOf, type Rails } from '../../src/payments/rail/context';
import { createRails } from '../../src/rails';
import type { Database } from '../../src/store/database';

interface Books {
  db: Database;
  /** The settings of the processes that wrote the books; none where only the ledger was written to. */
  env?: Record<string, string>;
  /** Compares with the simulator's own books, too. */
  simulatorUrl?: string;
}

/** @throws with every violation that `malipo verify` finds. */
export async function expectClean({ db, env, simulatorUrl }: Books): Promise<void> {
  const report = await verify(db, env ? railsOfEnv(env) : railsOf([]), { simulatorUrl });
  const broken = report.checks.filter(({ violations }) => violations.length > 0);
  expect(broken).toEqual([]);
}

/** The rails as the test's own processes have built them. */
export function railsOfEnv(env: Record<string, string>, names: string[] = []): Rails {
  return railsOf(
    createRails(
      {
        environment: 'sandbox',
        publicUrl: `http://127.0.0.1:${env.MALIPO_API_PORT ?? ''}`,
        timezone: 'Africa/Nairobi',
        timeScale: Number(env.MALIPO_SANDBOX_TIME_SCALE),
        env,
        log: silentLog,
        tokens: ownTokens(),
        observe: () => {},
      },
      names,
    ),
  );
}
