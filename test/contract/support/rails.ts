/** The rails that there are, read from the tree, and what each has told about itself. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RailContract } from '../rail-contract';

const railFolder = join(__dirname, '..', '..', '..', 'src', 'rails');
export const rails = readdirSync(railFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

export function contractOf(rail: string): RailContract | undefined {
  const file = join(__dirname, '..', 'rails', `${rail}.ts`);
  // The rails are read from the tree, so their descriptions are found by name.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return existsSync(file) ? (require(file) as { contract: RailContract }).contract : undefined;
}
