import type { Answer, Visit } from '../visit';
import { assetAt } from './assets';
import { notFound } from './refusals';

export function asset(visit: Visit): Promise<Answer> {
  const found = assetAt(visit.path);
  return Promise.resolve(found ? { kind: 'file', ...found } : notFound(visit));
}
