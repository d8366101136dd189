/** An operator's command as a process that may be ended, and the operator's next steps. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { shortLived } from '../../../../test/support/short-lived';
import type { Trial } from '../operations/operation';
import type { Arming, TestRig } from './test-rig';

const bundle = join(__dirname, '..', '..', '..', '..', 'dist', 'bundle', 'cli.js');

interface Ended {
  code: number | undefined;
  signal: string | undefined;
  output: string;
}

function malipo({ stack, operator }: TestRig, args: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, ...stack.env, ...operator, ...env } };
    execFile(process.execPath, [...shortLived, bundle, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
      resolve({ code, signal: error?.signal ?? undefined, output: out + err });
    });
  });
}

/** Runs it to its end, and again if it was interrupted without taking effect. @returns what is wrong. */
export async function runCommand(
  rig: TestRig,
  { args, effects }: NonNullable<Trial['command']>,
  arming: Arming,
): Promise<string[]> {
  const first = await malipo(rig, args, rig.watched({ ...arming, everything: true }));
  if (first.signal === undefined && first.code !== 0) return [`malipo ${args.join(' ')}: ${first.output}`];
  if ((await effects()) === 0) {
    const again = await malipo(rig, args, {});
    if (again.code !== 0) return [`malipo ${args.join(' ')} again: ${again.output}`];
  }
  const times = await effects();
  return times === 1 ? [] : [`malipo ${args.join(' ')} has taken effect ${times} times`];
}
