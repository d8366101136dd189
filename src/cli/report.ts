/** How a command runs: it only reads, or it hands an action to `execute`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { ConfigError } from '../config';
import { PaymentError } from '../domain/errors';
import { definitionOf, type ActionKind, type InputOf, type ResultOf } from '../operator-actions/actions';
import { ActionError, InputError, isUnreachable, textOf } from '../operator-actions/errors';
import { execute, type Actor, type Outcome } from '../operator-actions/execute';
import { fromTo } from '../operator-actions/wording';
import { ProviderLocked } from '../reconciliation/provider-lock';
import { readSecret } from '../secret-files';
import type { Database } from '../store/database';
import { misfitOf, migrationStateOf } from '../store/migrating/migration-state';
import { isDatabaseUnavailable } from '../store/transaction';
import { hasOperators, authenticateOperator, recordDenial, OperatorError } from '../users/operators';
import { readName } from './parse';
import type { Io, Session } from './session';
import { facts, clockOf } from './table';

/** The output of a command: text for an operator, and JSON for scripts (`--json`). */
export interface Report {
  text: string;
  json: unknown;
  /** False when the command itself succeeded but found a failure. */
  ok?: boolean;
}

/** The action needs an approval: it is neither done nor denied. */
const exitCodeWaits = 3;

/** Makes a commander action of a command that only reads: opens a session, prints, sets the exit code. */
export type Runner = <Given extends unknown[]>(
  read: (session: Session, ...given: Given) => Promise<Report>,
) => (...given: [...Given, Command]) => Promise<void>;

/** An option that was not given may be undefined; it becomes no field of the input. */
type Unfilled<Input> = {
  [Name in keyof Input]: Input[Name] | (undefined extends Pick<Input, Name>[Name] ? undefined : never);
};

/** Turns the arguments of a command into the input of an action, and prints its result. */
export interface Acts<Given extends unknown[], Kind extends ActionKind> {
  kind: Kind;
  input(session: Session, ...given: Given): Unfilled<InputOf<Kind>> | Promise<Unfilled<InputOf<Kind>>>;
  print(session: Session, result: ResultOf<Kind>, ...given: Given): Report | Promise<Report>;
  /** For a dry run whose documented JSON has other names. */
  printPreview?(preview: Outcome<ResultOf<Kind>> & { kind: 'preview' }): Report;
}

/** Makes a command that hands an action to `execute`: it takes `--as` and `--dry-run`. */
export type Act = <Given extends unknown[], Kind extends ActionKind>(
  command: Command,
  acts: Acts<Given, Kind>,
) => void;

/** The options of every command that changes something. */
interface ActOptions {
  as?: string;
  dryRun?: true;
}

export interface Running {
  run: Runner;
  act: Act;
  /** For a command whose options decide which action it runs. */
  actAs<Given extends unknown[]>(
    command: Command,
    choices: {
      kinds: readonly ActionKind[];
      print(session: Session, result: never): Report;
    },
    choose: (...given: Given) => { [Kind in ActionKind]: Acts<Given, Kind> }[ActionKind],
  ): void;
  /** Prints the result of an action as its own command does. */
  printed(session: Session, action: string, result: unknown): Promise<Report>;
  /** Approves the action that another operator requested, or previews it. */
  deciding(
    command: Command,
    decide: (session: Session, actor: Actor, dryRun: boolean, id: string) => Promise<Report>,
  ): void;
}

export const whoActs = 'the operator who runs this command; see docs/controls.md';

/** @param exit is called with the exit code. */
export function runningWith(io: Io, exit: (code: number) => void): Running {
  /** The printer of each kind of action. */
  const printers = new Map<string, (session: Session, result: never) => Report | Promise<Report>>();

  /** Runs the work of a command, prints its report, and sets the exit code. */
  async function during(
    command: Command,
    wantsJson: boolean,
    work: (session: Session) => Promise<{ report: Report; code?: number }>,
  ): Promise<void> {
    try {
      const { report, code } = await inSession(io, work);
      printReport(io, wantsJson, report);
      exit(code ?? (report.ok === false ? 1 : 0));
    } catch (error) {
      exit(complain(io, wantsJson, error));
      if (error instanceof InputError) io.err(`See: malipo ${pathOf(command)} --help\n`);
    }
  }

  function acting(
    command: Command,
    work: (
      session: Session,
      options: ActOptions,
      given: unknown[],
    ) => Promise<{ report: Report; code?: number }>,
  ): void {
    command.option('--as <name>', whoActs, readName);
    command.option('--dry-run', 'only show what would change');
    command.action(async (...args: unknown[]) => {
      // Commander gives the arguments, then the options, then the command.
      const { json, as, dryRun, ...rest } = command.opts<ActOptions & { json?: true }>();
      const options = { ...(as !== undefined && { as }), ...(dryRun && { dryRun }) };
      await during(command, json === true, (session) => work(session, options, [...args.slice(0, -2), rest]));
    });
  }

  async function perform<Given extends unknown[], Kind extends ActionKind>(
    session: Session,
    { kind, input, print: printed, printPreview }: Acts<Given, Kind>,
    { as: named, dryRun = false }: { as?: string; dryRun?: boolean },
    given: Given,
  ): Promise<{ report: Report; code?: number }> {
    const { keepsTypedName } = definitionOf(kind);
    const actor = await authenticateActor(session.context.db, io, {
      ...{ named, action: kind },
      keepsTypedName: keepsTypedName ?? false,
    });
    const action = { kind, input: withoutUndefined(await input(session, ...given)) };
    const outcome = await execute(session, actor, action, { dryRun });
    if (outcome.kind === 'waits') return { report: waiting(session, outcome), code: exitCodeWaits };
    if (outcome.kind === 'done') return { report: await printed(session, outcome.result, ...given) };
    return { report: printPreview ? printPreview(outcome) : previewed(session, outcome) };
  }

  return {
    run:
      <Given extends unknown[]>(read: (session: Session, ...given: Given) => Promise<Report>) =>
      async (...args: [...Given, Command]) => {
        const command = args.at(-1) as Command;
        // Every command has --json, also one without options of its own.
        const { json, ...options } = command.opts<{ json?: true }>();
        const given = [...args.slice(0, -2), options] as unknown as Given;
        await during(command, json === true, async (session) => ({ report: await read(session, ...given) }));
      },
    act: (command, acts) => {
      // An approved action has no typed arguments.
      printers.set(acts.kind, (session, result) => acts.print(session, result, ...([] as never)));
      acting(command, (session, options, given) => perform(session, acts, options, given as never));
    },
    actAs: (command, { kinds, print }, choose) => {
      for (const kind of kinds) printers.set(kind, print);
      acting(command, (session, options, given) =>
        perform(session, choose(...(given as never)) as Acts<never, ActionKind>, options, given as never),
      );
    },
    async printed(session, action, result) {
      const printer = printers.get(action);
      if (!printer) throw new Error(`no command prints ${action}`);
      return printer(session, result as never);
    },
    deciding: (command, decide) => {
      acting(command, async (session, { as: named, dryRun = false }, given) => {
        const actor = await authenticateActor(session.context.db, io, { named, action: pathOf(command) });
        return { report: await decide(session, actor, dryRun, String(given[0])) };
      });
    },
  };
}

function withoutUndefined(input: unknown): unknown {
  return Object.fromEntries(Object.entries(input as object).filter(([, value]) => value !== undefined));
}

function waiting(
  { config }: Session,
  { approvalId, expiresAt, askedBy, texts }: Outcome<unknown> & { kind: 'waits' },
): Report {
  return {
    json: { approval_id: approvalId, state: 'pending', asked_by: askedBy, expires_at: expiresAt },
    text: [
      texts.en.sentence,
      `Nothing was done yet: a second operator must approve this. The request is ${approvalId}.`,
      `malipo approve ${approvalId} --as <another operator>   until ${clockOf(config.timezone)(expiresAt)}`,
    ].join('\n'),
  };
}

/** The changes that the action would make, from → to. */
export function previewed(
  { config }: Session,
  { texts, changes, needsSecond }: Outcome<unknown> & { kind: 'preview' },
): Report {
  const lines = changes.map((change): [string, string] => [
    `${change.of.kind} ${change.of.id} ${change.field}`,
    fromTo(change, 'en', config.timezone),
  ]);
  return {
    json: { dry_run: true, sentence: texts.en.sentence, needs_second_operator: needsSecond, changes },
    text: [
      texts.en.sentence,
      ...(lines.length > 0 ? [facts(lines)] : []),
      ...(needsSecond ? ['A second operator must approve it.'] : []),
    ].join('\n'),
  };
}

async function inSession<T>(io: Io, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await io.openSession(io);
  try {
    const misfit = misfitOf(await migrationStateOf(session.context.db));
    if (misfit !== undefined) throw new ActionError(`Nothing was done: ${misfit}.`);
    return await work(session);
  } finally {
    await session.close();
  }
}

export function printReport(io: Io, wantsJson: boolean, { text, json }: Report): void {
  io.out(wantsJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
}

/** Prints an error to the error stream, so that a script never reads it as output. @returns the exit code. */
export function complain(io: Io, wantsJson: boolean, error: unknown): number {
  const { exitCode, ...reported } = reportedErrorOf(error);
  if (wantsJson) {
    io.err(`${JSON.stringify({ error: reported })}\n`);
  } else {
    io.err(`${reported.message}\n`);
    for (const { field, message } of reported.details ?? [])
      if (message !== reported.message) io.err(`  ${field}: ${message}\n`);
  }
  return exitCode;
}

function pathOf(command: Command): string {
  const names: string[] = [];
  for (let c = command; c.parent; c = c.parent) names.unshift(c.name());
  return names.join(' ');
}

// Authenticates the operator before a command changes anything.

/** The delay after a wrong token. */
const penaltyMs = 1_000;

/**
 * @param named by `--as`.
 * @throws ActionError when an operator is needed and none is authenticated.
 */
export async function authenticateActor(
  db: Database,
  { env }: Pick<Io, 'env'>,
  {
    named,
    action,
    keepsTypedName = false,
  }: { named: string | undefined; action: string; keepsTypedName?: boolean },
): Promise<Actor> {
  if (!(await hasOperators(db))) {
    if (named !== undefined && !keepsTypedName)
      throw new ActionError('There is no operator yet; malipo operator create adds the first one.');
    return { operator: undefined, name: named };
  }
  const name = named ?? env['MALIPO_OPERATOR'];
  const token = readSecret(env, 'MALIPO_OPERATOR_TOKEN')?.trim();
  if (!name || !token)
    throw new ActionError(
      `This needs an operator: name one with --as or MALIPO_OPERATOR, and set the token in ` +
        'MALIPO_OPERATOR_TOKEN, or in the file that MALIPO_OPERATOR_TOKEN_FILE names.',
    );
  const operator = await authenticateOperator(db, { name, token });
  if (operator) return { operator };
  await recordDenial(db, { name, action, reason: 'wrong token' });
  await delay(penaltyMs);
  throw new ActionError('No active operator has this name and this token.');
}

interface ReportedError {
  exitCode: number;
  code: string;
  message: string;
  details?: { field: string; message: string }[];
}

/** The message of an error for the operator. Texts of others are redacted, because they may contain a secret. */
function reportedErrorOf(error: unknown): ReportedError {
  if (error instanceof InputError) return { exitCode: 2, code: 'USAGE', message: error.message };
  if (error instanceof ActionError || error instanceof OperatorError || error instanceof ProviderLocked)
    return { exitCode: 1, code: 'REFUSED', message: error.message };
  if (error instanceof ConfigError) return { exitCode: 1, code: 'SETTINGS', message: error.message };
  if (error instanceof PaymentError) {
    const { details } = error.options;
    return { exitCode: 1, code: error.code, message: error.message, ...(details ? { details } : {}) };
  }
  if (isDatabaseUnavailable(error)) {
    const message = `The database is not available: ${textOf(error)}`;
    return { exitCode: 1, code: 'DATABASE_UNAVAILABLE', message };
  }
  if (isUnreachable(error)) {
    return {
      exitCode: 1,
      code: 'TEMPORAL_UNAVAILABLE',
      message: `Temporal cannot be reached: ${textOf(error)}`,
    };
  }
  return { exitCode: 1, code: 'UNEXPECTED', message: `Unexpected error: ${textOf(error)}` };
}
