import type { Command } from 'commander';
import { cutText } from '../domain/cut-text';
import { toldAbout } from './complaint';
import { Refusal, UsageError } from './refusal';
import { askForApproval } from '../operators/approvals';
import { misfitOf, standingOf } from '../store/migrating/standing';
import type { Operator } from '../operators/operators';
import { approvalTexts } from './approval-sentences';
import { AwaitsSecond, beginActing, beginActingAs, type Acting } from './acting';
import { keepsName, type Invocation } from './changes';
import type { Io, OpenSession, Session } from './session';
import { tellApprovers } from './tell-approvers';
import { clockOf } from './wall-clock';

/** What a command has to say: for people, and with `--json` for scripts. */
export interface Report {
  text: string;
  json: unknown;
  /** False when what was found is a failure, though the command itself worked. */
  ok?: boolean;
  /** Nothing was done yet: a second operator has to approve it. */
  waits?: true;
}

/** What waits for a second operator is neither done nor refused. */
const exitCodeWaits = 3;

/** Turns a command's story into a commander action: opens a session, tells the result, sets the exit code. */
export type Runner = <Given extends unknown[]>(
  story: (session: Session, ...given: Given) => Promise<Report>,
) => (...given: [...Given, Command]) => Promise<void>;

export function runnerOf(io: Io, exit: (code: number) => void, argv: string[]): Runner {
  return <Given extends unknown[]>(story: (session: Session, ...given: Given) => Promise<Report>) =>
    async (...args: [...Given, Command]) => {
      const command = args.at(-1) as Command;
      // A command without options of its own still gets the one that is ours.
      const { json, ...all } = command.opts<{ json?: true }>();
      const wantsJson = json === true;
      try {
        const report = await inSession(io, async (session) => {
          const invocation = invocationOf(command, args.slice(0, -2), all);
          const acting = await beginActing(session, io, invocation);
          const given = givenOf(args, invocation.path, all) as Given;
          return story({ ...session, acting }, ...given).catch((error: unknown) => {
            if (!(error instanceof AwaitsSecond)) throw error;
            return asked(
              session,
              { argv, path: invocation.path, by: error.by, need: error.need },
              invocation,
            );
          });
        });
        tell(io, wantsJson, report);
        exit(report.waits ? exitCodeWaits : report.ok === false ? 1 : 0);
      } catch (error) {
        exit(complain(io, wantsJson, error));
        if (error instanceof UsageError) io.err(`See: malipo ${pathOf(command)} --help\n`);
      }
    };
}

/** Runs the stories of commands that were asked for before, and gives their reports to the one who has them run. */
export function approvedRunnerOf(
  session: Session,
  actingFor: (invocation: Invocation) => Acting,
  tellReport: (report: Report) => void,
): Runner {
  return <Given extends unknown[]>(story: (session: Session, ...given: Given) => Promise<Report>) =>
    async (...args: [...Given, Command]) => {
      const command = args.at(-1) as Command;
      const { json: _, ...all } = command.opts<{ json?: true }>();
      const invocation = invocationOf(command, args.slice(0, -2), all);
      const given = givenOf(args, invocation.path, all) as Given;
      tellReport(await story({ ...session, acting: actingFor(invocation) }, ...given));
    };
}

/** Runs nothing, and gives away how a command reads. */
export function readingRunnerOf(tellInvocation: (invocation: Invocation) => void): Runner {
  return () =>
    (...args) => {
      const command = args.at(-1) as Command;
      const { json: _, ...all } = command.opts<{ json?: true }>();
      tellInvocation(invocationOf(command, args.slice(0, -2), all));
      return Promise.resolve();
    };
}

/** Runs the story of a command for an operator whom the portal has let in. */
export function operatorsRunnerOf(
  session: OpenSession,
  operator: Operator,
  { argv, tellReport }: { argv: string[]; tellReport: (report: Report) => void },
): Runner {
  return <Given extends unknown[]>(story: (session: Session, ...given: Given) => Promise<Report>) =>
    async (...args: [...Given, Command]) => {
      const command = args.at(-1) as Command;
      const { json: _, ...all } = command.opts<{ json?: true }>();
      const invocation = invocationOf(command, args.slice(0, -2), all);
      const acting = await beginActingAs(session, operator, invocation);
      const given = givenOf(args, invocation.path, all) as Given;
      tellReport(
        await story({ ...session, acting }, ...given).catch((error: unknown) => {
          if (!(error instanceof AwaitsSecond)) throw error;
          return asked(session, { argv, path: invocation.path, by: error.by, need: error.need }, invocation);
        }),
      );
    };
}

async function asked(
  session: OpenSession,
  wish: Parameters<typeof askForApproval>[1],
  invocation: Invocation,
): Promise<Report> {
  const { context, config } = session;
  // What is asked for is kept as it was typed, and shown to whoever may look.
  if (wish.argv.some(mayHoldSecret))
    throw new Refusal(
      'An address with a query or a password is not kept for a second operator to approve; give it in a command of its own.',
    );
  const { moves } = wish.need;
  const asking = {
    ...{ argv: wish.argv, asked_by: wish.by },
    ...{ currency: moves?.currency ?? null, amount_minor: moves?.amountMinor.toString() ?? null },
  };
  const texts = await approvalTexts(context.db, asking, invocation);
  const { approvalId, expiresAt } = await askForApproval(context.db, wish, (trx, id) =>
    tellApprovers(session, trx, { by: wish.by, approvalId: id, texts }),
  );
  return {
    waits: true,
    json: { approval_id: approvalId, state: 'pending', asked_by: wish.by, expires_at: expiresAt },
    text: [
      texts.en.sentence,
      `Nothing was done yet: this needs a second operator, who is asked for it as ${approvalId}.`,
      `malipo approve ${approvalId} --as <another operator>   until ${clockOf(config.timezone)(expiresAt)}`,
    ].join('\n'),
  };
}

/** An address that may hold a secret of its owner's; among the words of a reason it is a link. */
function mayHoldSecret(word: string): boolean {
  const text = word.replace(/^--[\w-]+=/, '');
  if (/\s/.test(text) || !/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { search, hash, username, password } = new URL(text);
  return [search, hash, username, password].some((part) => part !== '');
}

function givenOf(args: unknown[], path: string, options: Record<string, unknown>): unknown[] {
  return [...args.slice(0, -2), withoutOperator(path, options)];
}

export function invocationOf(
  command: Command,
  args: unknown[],
  options: Record<string, unknown>,
): Invocation {
  const names = command.registeredArguments.map((argument) => argument.name());
  const named = Object.fromEntries(names.map((name, n) => [name, args[n]]));
  const [first] = args;
  const path = pathOf(command);
  return {
    path,
    first: typeof first === 'string' ? cutText(first, 160) : '',
    given: { ...named, ...options },
  };
}

/** `--as` is ours, save for what keeps it. */
function withoutOperator(path: string, { as, ...options }: Record<string, unknown>): Record<string, unknown> {
  return keepsName(path) && as !== undefined ? { as, ...options } : options;
}

async function inSession(io: Io, work: (session: OpenSession) => Promise<Report>): Promise<Report> {
  const session = await io.openSession(io);
  try {
    const misfit = misfitOf(await standingOf(session.context.db));
    if (misfit !== undefined) throw new Refusal(`Nothing was done: ${misfit}.`);
    return await work(session);
  } finally {
    await session.close();
  }
}

export function tell(io: Io, wantsJson: boolean, { text, json }: Report): void {
  io.out(wantsJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
}

/** Complaints go to the error stream, so that a script never takes one for an answer. @returns the exit code. */
export function complain(io: Io, wantsJson: boolean, error: unknown): number {
  const { exitCode, ...told } = toldAbout(error);
  if (wantsJson) {
    io.err(`${JSON.stringify({ error: told })}\n`);
  } else {
    io.err(`${told.message}\n`);
    for (const { field, message } of told.details ?? [])
      if (message !== told.message) io.err(`  ${field}: ${message}\n`);
  }
  return exitCode;
}

export function pathOf(command: Command): string {
  const names: string[] = [];
  for (let c = command; c.parent; c = c.parent) names.unshift(c.name());
  return names.join(' ');
}
