/** Counters in Prometheus' text format. */

/** The labels of a sample and its value; those of one counter, by its whole name. */
export interface CounterSample {
  labels: Record<string, string>;
  value: number;
}

export function samplesOf(text: string, counter: string): CounterSample[] {
  const start = `${counter}{`;
  return text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => {
      const end = line.lastIndexOf('} ');
      const pairs = [...line.slice(start.length, end).matchAll(/(\w+)="([^"]*)"/g)];
      return {
        labels: Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value])),
        value: Number(line.slice(end + 2)),
      };
    });
}
