/** What a command has to say, on paper and for scripts. */
import { ActionError, textOf, InputError } from '../../src/operator-actions/errors';

/** The world as a command sees it; tests bring one of their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  env: NodeJS.ProcessEnv;
  /** Where the developer stands: `login` finds the keys of the sandbox in it. */
  folder: string;
  /** Tells of each key that is pressed until what it returns is called; nothing where nobody can press one. */
  keys?(press: (key: string) => void): () => void;
}

export interface Report {
  text: string;
  json: unknown;
}

export function tell(io: Io, wantsJson: boolean, { text, json }: Report): void {
  io.out(wantsJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
}

/** Complaints go to the error stream, so that a script never takes one for an answer. @returns the exit code. */
export function complain(io: Io, wantsJson: boolean, error: unknown): number {
  const { exitCode, ...told } = toldAbout(error);
  io.err(wantsJson ? `${JSON.stringify({ error: told })}\n` : `${told.message}\n`);
  return exitCode;
}

function toldAbout(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof InputError) return { exitCode: 2, code: 'USAGE', message: error.message };
  if (error instanceof ActionError) return { exitCode: 1, code: 'REFUSED', message: error.message };
  return { exitCode: 1, code: 'UNEXPECTED', message: `Something unexpected went wrong: ${textOf(error)}` };
}
