/** Mutations that no test can notice, from survivors.md: each with its reason. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './stryker';

const shownMax = 90;

/** In the form of survivors.md, on one line. */
export function shown({ original, replacement }: Mutant): string {
  return `${asCode(original)} → ${asCode(replacement)}`;
}

/** On one line, fenced as the formatter does it. */
function asCode(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > shownMax ? `${line.slice(0, shownMax - 1)}…` : line;
  // Longer than any run of backticks in it.
  const runs = new Set((short.match(/`+/g) ?? []).map(({ length }) => length));
  let fence = '`';
  while (runs.has(fence.length)) fence += '`';
  const room = short.startsWith('`') || short.endsWith('`') ? ' ' : '';
  return `${fence}${room}${short}${room}${fence}`;
}

/** @returns the survivors that survivors.md does not explain; one line there explains one of them. */
export function unexplained(survivors: readonly Mutant[]): Mutant[] {
  const lines = readFileSync(join(__dirname, 'survivors.md'), 'utf8').split('\n');
  const explained = new Map<string, number>();
  let file = '';
  for (const line of lines) {
    if (line.startsWith('## ')) file = line.slice(3).trim();
    const [, change] = /^- ((`+).*?\2 → (`+).*?\3): \S/.exec(line) ?? [];
    if (change === undefined) continue;
    const key = `${file} ${change}`;
    explained.set(key, (explained.get(key) ?? 0) + 1);
  }
  return survivors.filter((survivor) => {
    const key = `${survivor.file} ${shown(survivor)}`;
    const left = explained.get(key) ?? 0;
    explained.set(key, left - 1);
    return left <= 0;
  });
}
