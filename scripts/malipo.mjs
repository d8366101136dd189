#!/usr/bin/env node
/** `malipo`: the developer commands are in packages/cli, all others in src/cli. */
import { createRequire } from 'node:module';

const bundle = createRequire(new URL('../dist/bundle/', import.meta.url));
const args = process.argv.slice(2);
const developer = bundle('./developer.js');

if (developer.words.includes(args[0])) await developer.main(args);
else await bundle('./cli.js').main(args, developer.developerCommands);
