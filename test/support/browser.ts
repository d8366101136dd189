/** The browser for tests of pages. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const isThere = existsSync(executablePath);
// Tests of pages must not be skipped silently in CI.
if (!isThere && process.env['CI'] === 'true')
  throw new Error(`CI has no browser at ${executablePath}: install Chromium, or set CHROMIUM_PATH`);

// Tests of pages are skipped without a browser on the machine.
export const describeInBrowser = isThere ? describe : describe.skip;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
