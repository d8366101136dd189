/** The output of a command: text for a person, and JSON for scripts. */
import { ActionError, textOf, InputError } from '../../src/operator-actions/errors';

/** What a command reads and writes. Tests pass their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** The working directory: `login` finds the keys of the sandbox in it. */
  folder: string;
  /** Reports each pressed key until the returned function is called. Undefined if there is no keyboard. */
  keys?(press: (key: string) => void): () => void;
}

export interface Report {
  text: string;
  json: unknown;
}

export function printAnswer(io: Io, wantsJson: boolean, { text, json }: Report): void {
  io.out(wantsJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
}

/** Prints an error to the error stream, so that a script never reads it as output. @returns the exit code. */
export function complain(io: Io, wantsJson: boolean, error: unknown): number {
  const { exitCode, ...reported } = reportedAbout(error);
  io.err(wantsJson ? `${JSON.stringify({ error: reported })}\n` : `${reported.message}\n`);
  return exitCode;
}

function reportedAbout(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof InputError) return { exitCode: 2, code: 'USAGE', message: error.message };
  if (error instanceof ActionError) return { exitCode: 1, code: 'REFUSED', message: error.message };
  return { exitCode: 1, code: 'UNEXPECTED', message: `Unexpected error: ${textOf(error)}` };
}
