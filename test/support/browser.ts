/** The browser that pages are looked at with. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const isThere = existsSync(executablePath);
// What nobody has looked at must not look as if somebody had.
if (!isThere && process.env['CI'] === 'true')
  throw new Error(`CI has no browser at ${executablePath}: install Chromium, or set CHROMIUM_PATH`);

// Without a browser on the machine nobody looks.
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
