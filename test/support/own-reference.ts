import { leftByFiles } from './left-by-files';

/** A reference that no other test of the run uses, in any file: files share a stack, and so a database. */
export function ownReference(prefix: string, separator = '-'): string {
  const made = leftByFiles('references', () => ({ count: 0 }));
  made.count += 1;
  return `${prefix}${process.pid.toString(36)}${separator}${made.count.toString(36)}`;
}
