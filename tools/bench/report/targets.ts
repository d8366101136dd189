/** The targets, and whether this run reached them. */
import { table } from '../../../src/cli/table';

export interface Target {
  what: string;
  aim: string;
  measured: number;
  met: boolean;
}

export function atMost(limit: number, what: string, measured: number): Target {
  return { what, aim: `at most ${limit}`, measured, met: measured <= limit };
}

export function atLeast(limit: number, what: string, measured: number): Target {
  return { what, aim: `at least ${limit}`, measured, met: measured >= limit };
}

export function targetsText(targets: readonly Target[]): string {
  return table(
    ['target', 'aim', 'measured', ''],
    targets.map(({ what, aim, measured, met }) => [what, aim, measured, met ? 'met' : 'MISSED']),
  );
}
