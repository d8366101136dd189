/** The form of deploy/kubernetes' rules. */
import { type Manifest } from './manifests';

export interface Known {
  /** Every setting that the code reads. */
  settings: ReadonlySet<string>;
  /** Settings that must come from files. */
  secrets: readonly string[];
  /** The processes that use each of them. */
  uses: Readonly<Record<string, readonly string[]>>;
}

export type Rule = (objects: Manifest[], known: Known) => string[];

export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

export const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
export const ofKind = (objects: Manifest[], ...kinds: string[]) =>
  objects.filter(({ kind }) => kinds.includes(kind));

export function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(
      ({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''),
    )
  );
}
