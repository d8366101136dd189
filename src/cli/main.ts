#!/usr/bin/env node
import { showControls } from '../domain/controls';
import { runCli } from './run-cli';
import { openSession } from './session';
import { surviveClosedPipes } from '../ops/closed-pipes';
import { keyPresses } from '../ops/developer/key-presses';
import { printWarnings } from '../ops/node-messages';

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
