import { canInstallPackages, installPackages, isInPackageLists } from './debian-packages';
import { findExecutable, isExecutable } from './on-path';
import { optional } from './optional';

/** Chromium that renders without windows: this saves up to four fifths of the processor time. */
const shell = 'chromium-headless-shell';
const names = [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of the page tests; undefined if there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  return findExecutable(names);
}

export async function findOrInstallChromium(): Promise<string | undefined> {
  const found = findChromium();
  if (process.env.CHROMIUM_PATH || findExecutable([shell]) || !canInstallPackages()) return found;
  // If a browser exists already, the shell is installed only if the current package lists contain it.
  if (found === undefined) await installPackages([shell]).catch(() => installPackages(['chromium']));
  else if (await isInPackageLists(shell)) await optional(() => installPackages([shell]));
  return findChromium();
}
