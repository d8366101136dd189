import { redactText } from '../ops/redact';

/** A definite no with a sentence for the operator. Exit code 1. */
export class Refusal extends Error {}

/** The command was not understood. Exit code 2. */
export class UsageError extends Error {}

/** A driver's message repeats the statement with its values; its own words come without them. */
export function textOf(error: unknown): string {
  const { sqlMessage, message, code } = (error ?? {}) as {
    sqlMessage?: string;
    message?: string;
    code?: unknown;
  };
  const text = sqlMessage ?? (message !== undefined && message !== '' ? message : String(code ?? error));
  return redactText(text);
}
