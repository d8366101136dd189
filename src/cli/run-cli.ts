/** The command line for operators: every command takes `--json`, and exits with 0 only on success. */
import { Command, CommanderError } from 'commander';
import { showControls } from '../domain/controls';
import { approvalCommands } from './approval';
import { callbacksCommand, webhookCommands } from './webhook';
import { caseCommands } from './case';
import { completionCommand } from './completion';
import { deployCommands } from './deploy';
import { doctorCommand } from './doctor';
import { duplicateCommands } from './duplicate';
import { feeCommands } from './fee';
import { floatCommands } from './money';
import { floatCheckCommands } from './float-check';
import { fxCommands } from './fx';
import { ledgerCommands } from './ledger';
import { limitCommands } from './limit';
import { holdCommands } from './hold';
import { merchantCommands } from './merchant';
import { migrateCommands } from './migrate';
import { operatorCommands } from './operator';
import { unmatchedCommands } from './unmatched';
import { paymentCommands } from './payment';
import { pruneCommand, verifyCommand, resumeCommand } from './verify';
import { reconcileCommand } from './reconcile';
import { providerStatementCommands } from './provider-statement';
import { complain, runningWith, type Running } from './report';
import { restoreCommands } from './restore';
import { sandboxCommands } from './sandbox';
import { secretsCommands } from './secrets';
import type { Io } from './session';
import { payoutsCommands } from './payouts';
import { statementCommand } from './statement';
import { userCommands } from './user';
import { voucherCommands } from './voucher';
import { walletCommands } from './wallet';

const commands: ((program: Command, running: Running) => void)[] = [
  approvalCommands,
  merchantCommands,
  floatCommands,
  floatCheckCommands,
  walletCommands,
  ledgerCommands,
  limitCommands,
  feeCommands,
  statementCommand,
  paymentCommands,
  webhookCommands,
  caseCommands,
  duplicateCommands,
  payoutsCommands,
  holdCommands,
  voucherCommands,
  fxCommands,
  secretsCommands,
  verifyCommand,
  reconcileCommand,
  providerStatementCommands,
  unmatchedCommands,
  callbacksCommand,
  resumeCommand,
  restoreCommands,
  deployCommands,
  pruneCommand,
  sandboxCommands,
  operatorCommands,
  userCommands,
];

/**
 * Runs one command.
 * @returns its exit code: 0 for success, 1 for a denied or failed action, 2 for wrong usage, 3 if a second operator must
 *   approve the action.
 */
export async function runCli(args: string[], terminal: Io): Promise<number> {
  const io = withoutControls(terminal);
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = new Command('malipo').description('Pays with Malipo, and operates it.');
  const running = runningWith(io, exit);
  configure(program, io);
  // First in the help, and ready as they are: they belong to another tool.
  program.commandsGroup("For a shop's developer:");
  io.further?.(program, io, exit);
  completionCommand(program, io, exit);
  const ready = program.commands.length;
  program.commandsGroup('For operators:');
  program.helpCommand('help [command]', 'display help for command');
  for (const add of commands) add(program, running);
  doctorCommand(program, io, exit);
  migrateCommands(program, io, exit);
  for (const command of program.commands.slice(ready)) prepare(command, io);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return complain(io, args.includes('--json'), error);
  }
  return exitCode;
}

/** Makes control characters visible, so that a text from outside cannot change the operator's terminal. */
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

/** Commands that are made later get these settings from their parent. */
function configure(command: Command, io: Pick<Io, 'out' | 'err'>): void {
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
    .showHelpAfterError('Add --help to list the commands and options.')
    .allowExcessArguments(false);
}

/** Sets options on every command, because commander does not pass all of them to subcommands. */
function prepare(command: Command, io: Pick<Io, 'out' | 'err'>): void {
  configure(command, io);
  if (command.commands.length === 0) {
    command.option('--json', 'print JSON, for scripts');
  }
  for (const child of command.commands) prepare(child, io);
}
