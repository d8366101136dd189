/** The command line: nouns and verbs for operators, `--json` everywhere, exit code 0 only on success. */
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
import { floatProofCommands } from './float-proof';
import { fxCommands } from './fx';
import { ledgerCommands } from './ledger';
import { limitCommands } from './limit';
import { holdCommands } from './hold';
import { merchantCommands } from './merchant';
import { migrateCommands } from './migrate';
import { operatorCommands } from './operator';
import { orphanCommands } from './orphan';
import { paymentCommands } from './payment';
import { pruneCommand, verifyCommand, resumeCommand } from './verify';
import { reconcileCommand } from './reconcile';
import { providerStatementCommands } from './provider-statement';
import { complain, runningWith, type Running } from './report';
import { restoreCommands } from './restore';
import { sandboxCommands } from './sandbox';
import { secretsCommands } from './secrets';
import type { Io } from './session';
import { stopCommands } from './stop';
import { statementCommand } from './statement';
import { userCommands } from './user';
import { voucherCommands } from './voucher';
import { walletCommands } from './wallet';

const commands: ((program: Command, running: Running) => void)[] = [
  approvalCommands,
  merchantCommands,
  floatCommands,
  floatProofCommands,
  walletCommands,
  ledgerCommands,
  limitCommands,
  feeCommands,
  statementCommand,
  paymentCommands,
  webhookCommands,
  caseCommands,
  duplicateCommands,
  stopCommands,
  holdCommands,
  voucherCommands,
  fxCommands,
  secretsCommands,
  verifyCommand,
  reconcileCommand,
  providerStatementCommands,
  orphanCommands,
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
 * @returns its exit code: 0 for success, 1 for a refusal or a fault, 2 for wrong usage, 3 for what waits for a second operator.
 */
export async function runCli(args: string[], terminal: Io): Promise<number> {
  const io = withoutControls(terminal);
  let exitCode = 0;
  const exit = (code: number) => {
    exitCode = code;
  };
  const program = new Command('malipo').description('Operates a Malipo deployment.');
  const running = runningWith(io, exit);
  for (const add of commands) add(program, running);
  doctorCommand(program, io, exit);
  migrateCommands(program, io, exit);
  prepare(program, io);
  completionCommand(program, io, exit);
  io.further?.(program, io, exit);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return complain(io, args.includes('--json'), error);
  }
  return exitCode;
}

/** What strangers have typed moves no cursor of an operator's. */
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

/** Settings that commander does not hand down to commands made before them. */
function prepare(command: Command, io: Pick<Io, 'out' | 'err'>): void {
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
    command.option('--json', 'answer in JSON, for scripts');
  }
  for (const child of command.commands) prepare(child, io);
}
