import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { railDefinitions } from '../../src/rails';

/** Tests compare these with their own tables; a further rail is compared with its own description. */
export const specifiedRails = ['stk', 'momo', 'xb', 'walletpay', 'cardproc'];

const readmes = railDefinitions
  .filter(({ name }) => !specifiedRails.includes(name))
  .map(({ name }) => join(__dirname, '..', '..', 'src', 'rails', name, 'README.md'))
  .filter((file) => existsSync(file))
  .map((file) => readFileSync(file, 'utf8'));

/** Whether no further rail lists it in its README. */
export const isSpecified = ({ method, path }: { method: string; path: string }): boolean =>
  !readmes.some((text) => text.includes(`\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``));
