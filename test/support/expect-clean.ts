/** The final check of every test that moves money: `malipo verify` finds nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { ownTokens } from './own-tokens';
import { silentLog } from './silent-log';
import { verify } from '../../src/verify/verify';
import { railsOf, type Rails } from '../../src/rail-kit/context';
import { createRails } from '../../src/rails';
import type { ProcessName } from '../../src/secret-files';
import type { Database } from '../../src/store/database';
import { brokenBeside } from './violation-owner';

interface Books {
  db: Database;
  /** The settings of the processes that wrote the books; none when only the ledger was written. */
  env?: Record<string, string>;
  /** Also compares with the simulator's own books. */
  simulatorUrl?: string;
  /** The merchants of earlier files on this stack, whose books are not the caller's. */
  formerMerchants?: readonly string[];
  /** True when the test itself has written ledger entries that Malipo never books (A3). */
  hasMadeUp?: boolean;
}

/**
 * The check that all work makes progress. The worker catches up with rows that a test moved to the past in its next
 * run.
 */
const progress = 'V1';
const roundsMs = 30_000;

/** @throws with every violation that `malipo verify` finds, except those about former merchants only. */
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
export function railsOfEnv(env: NodeJS.ProcessEnv, names: string[] = [], process?: ProcessName): Rails {
  return railsOf(
    createRails(
      {
        environment: 'sandbox',
        publicUrl: `http://127.0.0.1:${env.MALIPO_API_PORT ?? ''}`,
        timezone: 'Africa/Nairobi',
        timeScale: Number(env.MALIPO_SANDBOX_TIME_SCALE),
        env,
        ...(process && { process }),
        log: silentLog,
        tokens: ownTokens(),
        observe: () => {},
      },
      names,
    ),
  );
}
