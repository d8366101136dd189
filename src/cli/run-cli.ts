/** The command line: nouns and verbs for operators, `--json` everywhere, exit code 0 only on success. */
import { Command, CommanderError } from 'commander';
import { showControls } from '../domain/controls';
import { PaymentError } from '../domain/errors';
import { findActive, OperatorRefusal } from '../operators/operators';
import type { Operated } from '../portal/operating';
import { approvalCommands, type CarryOut, type Understand } from './approval';
import { callbacksCommand } from './callbacks';
import { caseCommands } from './case';
import { completionCommand } from './completion';
import { changesSomething, keepsName, type Invocation } from './changes';
import { deployCommands } from './deploy';
import { doctorCommand } from './doctor';
import { duplicateCommands } from './duplicate';
import { feeCommands } from './fee';
import { floatCommands } from './float';
import { floatProofCommands } from './float-proof';
import { inWordsOfToday } from './former-words';
import { fxCommands } from './fx';
import { ledgerCommands } from './ledger';
import { limitCommands } from './limit';
import { holdCommands } from './hold';
import { merchantCommands } from './merchant';
import { migrateCommands } from './migrate';
import { operatorCommands } from './operator';
import { orphanCommands } from './orphan';
import { paymentCommands } from './payment';
import { pruneCommand } from './prune';
import { reconcileCommand } from './reconcile';
import { providerStatementCommands } from './provider-statement';
import { toldAbout } from './complaint';
import { Refusal, UsageError } from './refusal';
import {
  approvedRunnerOf,
  complain,
  operatorsRunnerOf,
  pathOf,
  readingRunnerOf,
  runnerOf,
  type Report,
  type Runner,
} from './report';
import { restoreCommands } from './restore';
import { resumeCommand } from './resume';
import { sandboxCommands } from './sandbox';
import { secretsCommands } from './secrets';
import type { Io, OpenSession, SentFile } from './session';
import { stopCommands } from './stop';
import { statementCommand } from './statement';
import { verifyCommand } from './verify';
import { userCommands } from './user';
import { voucherCommands } from './voucher';
import { walletCommands } from './wallet';
import { webhookCommands } from './webhook';

const commands: ((program: Command, run: Runner) => void)[] = [
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
  const { words, warnings } = inWordsOfToday(args);
  // An error of a script is JSON, and nothing beside it.
  if (!words.includes('--json')) for (const warning of warnings) io.err(`${warning}\n`);
  const program = programOf(runnerOf(io, exit, words));
  doctorCommand(program, io, exit);
  migrateCommands(program, io, exit);
  prepare(program, io);
  completionCommand(program, io, exit);
  io.further?.(program, io, exit);
  try {
    await program.parseAsync(words, { from: 'user' });
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

function programOf(run: Runner): Command {
  const program = new Command('malipo').description('Operates a Malipo deployment.');
  for (const add of commands) add(program, run);
  approvalCommands(program, run, { carryOut, understand });
  return program;
}

/**
 * Runs a command of the portal for an operator whom it has let in, with all that the command line asks of one.
 * @param sent a file that came with it.
 * @returns what it has to say, or why it was refused.
 */
export async function operate(
  opened: OpenSession,
  operatorName: string,
  argv: string[],
  sent?: SentFile,
): Promise<Operated> {
  const session = { ...opened, sent };
  const reports: Report[] = [];
  try {
    const operator = await findActive(session.context.db, operatorName);
    if (!operator) throw new Refusal('No operator of that name is active.');
    const tellReport = (report: Report) => reports.push(report);
    const program = programOf(operatorsRunnerOf(session, operator, { argv, tellReport }));
    prepare(program, { out: () => undefined, err: () => undefined });
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    // What is no refusal is a fault of ours, and logged as such by whoever asked.
    const isRefusal = [CommanderError, Refusal, UsageError, OperatorRefusal, PaymentError].some(
      (kind) => error instanceof kind,
    );
    if (!isRefusal) throw error;
    const { message, details = [] } = toldAbout(error);
    return { kind: 'refused', text: [message, ...details.map((one) => one.message)].join(' ') };
  }
  const [report] = reports;
  if (!report) throw new Error(`no command answers ${argv[0] ?? ''}`);
  const { waits, text, json, ok: isWell = true } = report;
  return { kind: waits ? 'waits' : 'done', text, json, isWell };
}

/** The words are read as they were when they were asked for, by the code of today. */
const carryOut: CarryOut = async (session, argv, actingFor) => {
  const reports: Report[] = [];
  const program = programOf(approvedRunnerOf(session, actingFor, (report) => reports.push(report)));
  prepare(program, { out: () => undefined, err: () => undefined });
  try {
    await program.parseAsync(inWordsOfToday(argv).words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw new Refusal('What was asked for is not understood any more.');
    throw error;
  }
  const [report] = reports;
  if (!report) throw new Refusal('What was asked for is not understood any more.');
  return report;
};

/** Reads a command without running it. */
export const understand: Understand = async (argv) => {
  let understood: Invocation | undefined;
  const program = programOf(readingRunnerOf((invocation) => (understood = invocation)));
  prepare(program, { out: () => undefined, err: () => undefined });
  try {
    await program.parseAsync(inWordsOfToday(argv).words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError || error instanceof UsageError)) throw error;
    return undefined;
  }
  return understood;
};

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
    const path = pathOf(command);
    if (!keepsName(path) && changesSomething({ path, given: {} }))
      command.option('--as <name>', 'the operator who does this; see docs/controls.md');
    command.option('--json', 'answer in JSON, for scripts');
  }
  for (const child of command.commands) prepare(child, io);
}
