#!/usr/bin/env node
import { showControls } from '../domain/controls';
import { runCli } from './cli/run-cli';
import { openSession } from './cli/session';
import { surviveClosedPipes } from './closed-pipes';
import { keyPresses } from './developer/key-presses';
import { printWarnings } from './node-messages';

surviveClosedPipes();
printWarnings((line) => process.stderr.write(`${showControls(line)}\n`));

void runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  folder: process.cwd(),
  openSession,
  keys: keyPresses,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
