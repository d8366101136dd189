import { Registry } from 'prom-client';
import type { Figures } from '../../../src/telemetry/figures/figures';

/** @returns the value of each sample, by its name and labels, after one reading. */
export async function shownBy(make: (registers: Registry[]) => Figures): Promise<Map<string, number>> {
  const registry = new Registry();
  await make([registry]).show();
  return samplesOf(await registry.metrics());
}

export function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
