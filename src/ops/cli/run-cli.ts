/** The command line: nouns and verbs for operators, `--json` everywhere, exit code 0 only on success. */
import { Command, CommanderError } from 'commander';
import { caseCommands } from './case';
import { changesSomething, operatorOptionOf } from './changes';
import { doctorCommand } from './doctor';
import { floatCommands } from './float';
import { fxCommands } from './fx';
import { ledgerCommands } from './ledger';
import { limitCommands } from './limit';
import { holdCommands } from './hold';
import { merchantCommands } from './merchant';
import { operatorCommands } from './operator';
import { paymentCommands } from './payment';
import { pruneCommand } from './prune';
import { reconcileCommand } from './reconcile';
import { complain, pathOf, runnerOf, type Runner } from './report';
import { resumeCommand } from './resume';
import { sandboxCommands } from './sandbox';
import { secretsCommands } from './secrets';
import type { Io } from './session';
import { stopCommands } from './stop';
import { statementCommand } from './statement';
import { verifyCommand } from './verify';
import { voucherCommands } from './voucher';
import { walletCommands } from './wallet';
import { webhookCommands } from './webhook';

const commands: ((program: Command, run: Runner) => void)[] = [
  merchantCommands,
  floatCommands,
  walletCommands,
  ledgerCommands,
  limitCommands,
  statementCommand,
  paymentCommands,
  webhookCommands,
  caseCommands,
  stopCommands,
  holdCommands,
  voucherCommands,
  fxCommands,
  secretsCommands,
  verifyCommand,
  reconcileCommand,
  resumeCommand,
  pruneCommand,
  sandboxCommands,
  operatorCommands,
];

/** Runs one command. @returns its exit code: 0 for success, 1 for a refusal or a fault, 2 for wrong usage. */
export async function runCli(args: string[], io: Io): Promise<number> {
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = new Command('malipo').description('Operates a Malipo deployment.');
  for (const add of commands) add(program, runnerOf(io, exit));
  doctorCommand(program, io, exit);
  prepare(program, io);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return complain(io, args.includes('--json'), error);
  }
  return exitCode;
}

/** Settings that commander does not hand down to commands made before them. */
function prepare(command: Command, io: Io): void {
  command
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
    .showHelpAfterError('Add --help to see what there is.')
    .allowExcessArguments(false);
  if (command.commands.length === 0) {
    const path = pathOf(command);
    if (operatorOptionOf(path) === 'as' && changesSomething({ path, given: {} }))
      command.option('--as <name>', 'the operator who does this; see docs/controls.md');
    command.option('--json', 'answer in JSON, for scripts');
  }
  for (const child of command.commands) prepare(child, io);
}
