/**
 * What Node itself would print to stderr, past the log and past its redaction: a deprecation warning quotes the URL
 * that a caller sent, and an uncaught error its message and its values.
 */
import type { Log } from '../domain/log';
import { redactText } from './redact';

interface WarningFields {
  [field: string]: unknown;
  warning: string;
  code?: string;
  message?: string;
  at: string;
}

/** The codes of deprecations are listed in Node's documentation; their sentences are the ones that quote. */
function toldOf(warning: Error & { code?: string }): WarningFields {
  const { name, code, message, stack = '' } = warning;
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const isListed = code?.startsWith('DEP') === true;
  return {
    warning: name,
    ...(code !== undefined && { code }),
    ...(!isListed && { message }),
    at: frames.map((line) => line.trim()).join('\n'),
  };
}

/** Takes warnings out of Node's hands, which has a listener of its own that prints them. */
function takeWarnings(tell: (told: WarningFields) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    tell(toldOf(warning));
  });
}

/** For programs that talk to a person, who need not know where in the code it was. */
export function printWarnings(print: (line: string) => void): void {
  takeWarnings(({ warning, code, message }) => {
    print(redactText([warning, code, message].filter(Boolean).join(' ')));
  });
}

/** For the processes that have a log: warnings, and the error that ends the process, are lines of it. */
export function logNodeMessages(log: Log): void {
  takeWarnings((told) => {
    const { message, ...fields } = told;
    log.warn('Node.js warning', { ...fields, detail: message });
  });
  process.on('uncaughtException', (error) => {
    log.error('uncaught error; the process exits', { error });
    process.exit(1);
  });
}
