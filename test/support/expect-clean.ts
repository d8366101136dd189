/** The last word of every test that moves money: `malipo verify` finds nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { ownTokens } from './own-tokens';
import { silentLog } from './silent-log';
import { verify } from '../../src/verify/verify';
import { railsOf, type Rails } from '../../src/rail-kit/context';
import { createRails } from '../../src/rails';
import type { Database } from '../../src/store/database';
import { brokenBeside } from './whose-violation';

interface Books {
  db: Database;
  /** The settings of the processes that wrote the books; none where only the ledger was written to. */
  env?: Record<string, string>;
  /** Compares with the simulator's own books, too. */
  simulatorUrl?: string;
  /** Whose books are not the caller's: those of files that had the stack before. */
  formerMerchants?: readonly string[];
  /** True where the test itself has written into the ledger what nothing of ours books (A3). */
  hasMadeUp?: boolean;
}

/** That nothing stands still. What a test has moved to the past is seen to in the worker's next round. */
const progress = 'V1';
const roundsMs = 30_000;

/** @throws with every violation that `malipo verify` finds, but those that are about former merchants alone. */
export async function expectClean({
  db,
  env,
  simulatorUrl,
  formerMerchants = [],
  hasMadeUp = false,
}: Books): Promise<void> {
  const rails = env ? railsOfEnv(env) : railsOf([]);
  const until = Date.now() + roundsMs;
  for (;;) {
    const report = await verify(db, rails, { simulatorUrl });
    const checks = report.checks.filter(({ id }) => !hasMadeUp || id !== 'A3');
    const broken = await brokenBeside(formerMerchants, db, checks);
    const mayYetMove = broken.length > 0 && broken.every(({ id }) => id === progress) && Date.now() < until;
    if (!mayYetMove) {
      expect(broken).toEqual([]);
      return;
    }
    await delay(250);
  }
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
