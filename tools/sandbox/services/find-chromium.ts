import { canInstallPackages, installPackages } from './debian-packages';
import { findExecutable, isExecutable } from './on-path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser that tests of pages drive, or undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return isExecutable(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : undefined;
  return findExecutable(names);
}

export async function findOrInstallChromium(): Promise<string | undefined> {
  const found = findChromium();
  if (found !== undefined || !canInstallPackages()) return found;
  await installPackages(['chromium']);
  return findChromium();
}
