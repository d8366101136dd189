/**
 * Node would print these messages to stderr, past the log and its redaction. A deprecation warning quotes the URL that
 * a caller sent; an uncaught error quotes its message and values.
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

/** Node's documentation lists the deprecation codes. Only the sentences quote callers. */
function warningFields(warning: Error & { code?: string }): WarningFields {
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

/** Replaces Node's own listener, which prints warnings. */
function takeWarnings(report: (reported: WarningFields) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    report(warningFields(warning));
  });
}

/** For command-line programs, whose users do not need the place in the code. */
export function printWarnings(print: (line: string) => void): void {
  takeWarnings(({ warning, code, message }) => {
    print(redactText([warning, code, message].filter(Boolean).join(' ')));
  });
}

/** For processes with a log: it gets warnings, and the error that ends the process. */
export function logNodeMessages(log: Log): void {
  takeWarnings((reported) => {
    const { message, ...fields } = reported;
    log.warn('Node.js warning', { ...fields, detail: message });
  });
  process.on('uncaughtException', (error) => {
    log.error('uncaught error; the process exits', { error });
    process.exit(1);
  });
}
