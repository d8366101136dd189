/** Payloads of providers from public sources, as data; the sources file of each folder names the origin. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOf = (provider: string) => join(__dirname, '..', 'fixtures', 'providers', provider);

export function recordedPath(provider: string, name: string): string {
  return join(folderOf(provider), name);
}

export function recorded(provider: string, name: string): Buffer {
  return readFileSync(recordedPath(provider, name));
}

export function recordedJson(provider: string, name: string): unknown {
  return JSON.parse(recorded(provider, name).toString('utf8'));
}

/** What a provider's HTTP client makes of a recorded answer. */
export function recordedAnswer(provider: string, name: string, status: number) {
  const text = recorded(provider, name).toString('utf8');
  return { kind: 'answered' as const, status, json: parsed(text), text: text.slice(0, 500) };
}

/** @returns the files without a source, and the sources without a file. */
export function unsourced(provider: string): string[] {
  const sources = JSON.parse(recorded(provider, 'sources.json').toString('utf8')) as Record<
    string,
    { is?: string; source?: string }
  >;
  const files = readdirSync(folderOf(provider)).filter((name) => name !== 'sources.json');
  return [
    ...files.filter((name) => !sources[name]?.is || !sources[name].source),
    ...Object.keys(sources).filter((name) => !files.includes(name)),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
