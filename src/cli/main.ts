#!/usr/bin/env node
import { showControls } from '../domain/controls';
import { surviveClosedPipes } from '../process/closed-pipes';
import { printWarnings } from '../telemetry/node-messages';
import { runCli } from './run-cli';
import { openSession, type Io } from './session';

/** @param further adds more commands, as scripts/malipo.mjs does. */
export async function main(args: string[], further?: Io['further']): Promise<void> {
  surviveClosedPipes();
  printWarnings((line) => process.stderr.write(`${showControls(line)}\n`));
  process.exitCode = await runCli(args, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    folder: process.cwd(),
    openSession,
    ...(further && { further }),
  });
}

if (require.main === module) void main(process.argv.slice(2));
