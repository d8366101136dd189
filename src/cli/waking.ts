/** A sentence about workflows that could not be woken. */
import type { Waking } from '../operator-actions/workflows';
import { count } from './table';

/** What is written down is taken up by the worker's sweeper all the same. */
export function sleepersIn({ failed }: Waking): string {
  const [first] = failed;
  if (!first) return '';
  return `${count(failed.length, 'workflow')} could not be woken (${first.error}); the worker's sweeper takes them up once it runs.`;
}
