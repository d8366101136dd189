export type Capability = 'database' | 'temporal' | 'stack' | 'processes' | 'browser';
export type ServerName = 'mysql' | 'temporal';

export interface Tier {
  starts: readonly Capability[];
  servers: readonly ServerName[];
  tools: Readonly<Record<string, readonly string[]>>;
  built: boolean;
}

export const tiers: Readonly<Record<string, Tier>>;
export const everyday: readonly string[];
export function tierOf(path: string): string | undefined;
export function toolsFor(paths: readonly string[]): string[];
