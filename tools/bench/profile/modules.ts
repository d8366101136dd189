/** Finds the module of a line of code in a bundle. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CallFrame } from './cpu-profile';

/** The lines that esbuild and webpack write above each module. */
const headings = [/^\/\/ ((?:\.\.\/)*(?:dist|node_modules)\/\S+)$/, /^\/\*\*\*\/ "\.\/(\S+)"/];

export type ModuleOf = (frame: CallFrame) => string;

/** @returns the path of a module, `node:…`, or '' for code without a module. */
export function modules(readText = (path: string) => readFileSync(path, 'utf8')): ModuleOf {
  const files = new Map<string, (string | undefined)[]>();

  function headingsOf(path: string): (string | undefined)[] {
    let heading: string | undefined;
    return readText(path)
      .split('\n')
      .map((line) => (heading = headingIn(line) ?? heading));
  }

  return ({ url, lineNumber }) => {
    const path = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!path.startsWith('/')) return path;
    let lines = files.get(path);
    if (!lines) files.set(path, (lines = headingsOf(path)));
    return lines[lineNumber] ?? path;
  };
}

function headingIn(line: string): string | undefined {
  for (const heading of headings) {
    const found = heading.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
