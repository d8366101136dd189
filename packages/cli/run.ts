/** The command line for a merchant's developer: it needs the merchant's keys, and no access to the deployment. */
import { Command, CommanderError } from 'commander';
import { showControls } from '../../src/domain/controls';
import { surviveClosedPipes } from '../../src/process/closed-pipes';
import { printWarnings } from '../../src/telemetry/node-messages';
import { complain, type Io } from './answers';
import { developerCommands } from './commands';
import { keyPresses } from './key-presses';

export { developerCommands };

/** The names of these commands. */
export const words: readonly string[] = programOf({
  out: () => undefined,
  err: () => undefined,
  env: {},
  folder: '',
}).commands.map((command) => command.name());

/** @returns the exit code: 0 for success, 1 for a denied or failed action, 2 for wrong usage. */
export async function runDeveloper(args: string[], terminal: Io): Promise<number> {
  const io = withoutControls(terminal);
  let exitCode = 0;
  const program = programOf(io, (code) => (exitCode = code));
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return complain(io, args.includes('--json'), error);
  }
  return exitCode;
}

/** Runs one of these commands as the process that was started for it. */
export async function main(args: string[]): Promise<void> {
  surviveClosedPipes();
  printWarnings((line) => process.stderr.write(`${showControls(line)}\n`));
  process.exitCode = await runDeveloper(args, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    env: process.env,
    folder: process.cwd(),
    keys: keyPresses,
  });
}

function programOf(io: Io, exit: (code: number) => void = () => undefined): Command {
  const program = new Command('malipo')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        io.out(text);
      },
      writeErr: (text) => {
        io.err(text);
      },
    })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to list the commands and options.')
    .allowExcessArguments(false);
  developerCommands(program, io, exit);
  return program;
}

/** Makes control characters visible, so that a text from outside cannot change the developer's terminal. */
function withoutControls(io: Io): Io {
  return {
    ...io,
    out: (text) => {
      io.out(showControls(text));
    },
    err: (text) => {
      io.err(showControls(text));
    },
  };
}
