import { canInstallPackages, installPackages, isInPackageLists } from './debian-packages';
import { findExecutable, isExecutable } from './on-path';
import { optional } from './optional';

/** Chromium that draws pages, and no window around each: that takes up to four fifths of the processor's time. */
const shell = 'chromium-headless-shell';
const names = [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser that tests of pages drive, or undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  return findExecutable(names);
}

export async function findOrInstallChromium(): Promise<string | undefined> {
  const found = findChromium();
  if (process.env.CHROMIUM_PATH || findExecutable([shell]) || !canInstallPackages()) return found;
  // Where there is a browser already, the shell is worth no more than a look at the lists of packages that are there.
  if (found === undefined) await installPackages([shell]).catch(() => installPackages(['chromium']));
  else if (await isInPackageLists(shell)) await optional(() => installPackages([shell]));
  return findChromium();
}
