/** An operator's command as a process that may be ended, and what its operator does then. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { shortLived } from '../../../../test/support/short-lived';
import type { Story } from '../operations/operation';
import type { Arming, Lane } from './lane';

const bundle = join(__dirname, '..', '..', '..', '..', 'dist', 'bundle', 'cli.js');

interface Ended {
  code: number | undefined;
  signal: string | undefined;
  said: string;
}

function malipo({ stack, operator }: Lane, args: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...stack.env, ...operator, ...env } };
    execFile(process.execPath, [...shortLived, bundle, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      resolve({ code, signal: error?.signal ?? undefined, said: out + err });
    });
  });
}

/** Runs it to its end, again where it was cut off and has not taken effect. @returns what is wrong. */
export async function runCommand(
  lane: Lane,
  { args, effects }: NonNullable<Story['command']>,
  arming: Arming,
): Promise<string[]> {
  const first = await malipo(lane, args, lane.watched({ ...arming, everything: true }));
  if (first.signal === undefined && first.code !== 0) return [`malipo ${args.join(' ')}: ${first.said}`];
  if ((await effects()) === 0) {
    const again = await malipo(lane, args, {});
    if (again.code !== 0) return [`malipo ${args.join(' ')} again: ${again.said}`];
  }
  const times = await effects();
  return times === 1 ? [] : [`malipo ${args.join(' ')} has taken effect ${times} times`];
}
