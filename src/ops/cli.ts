#!/usr/bin/env node
import { runCli } from './cli/run-cli';
import { openSession } from './cli/session';

void runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  folder: process.cwd(),
  openSession,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
