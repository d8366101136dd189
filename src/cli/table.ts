import Table from 'cli-table3';
import { inOneLine } from '../domain/controls';
import { wallClockWithOffset } from '../domain/time';

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** A compact table without lines or colours, so that its text can be pasted anywhere. */
export function table(head: string[], rows: (string | number)[][]): string {
  const content = new Table({
    head,
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  // A line break in a cell would look like a new row.
  content.push(...rows.map((cells) => cells.map((cell) => inOneLine(String(cell)))));
  const lines = content.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Names and values, one pair a line. */
export function facts(pairs: [string, string | number | null | undefined | false][]): string {
  const reported = pairs.filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  );
  const width = Math.max(...reported.map(([name]) => name.length));
  return reported.map(([name, value]) => `${name.padEnd(width)}  ${inOneLine(String(value))}`).join('\n');
}

/** "1 payment", "2 payments". */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${String(n)} ${n === 1 ? singular : plural}`;
}

/** Formats times in the deployment's zone, with its offset from UTC. JSON has them in UTC. */
export function clockOf(timezone: string): (at: Date | null) => string {
  return (at) => (at ? wallClockWithOffset(at, timezone) : '');
}

/** `45 s`, `12 min`, `5 h 3 min`, `3 d 4 h`: at most two units, rounded down. */
export function ageText(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1_000));
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}
