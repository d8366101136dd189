import Table from 'cli-table3';

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

/** A compact table without lines or colours: it is read in a terminal at night and pasted into a chat by day. */
export function table(head: string[], rows: (string | number)[][]): string {
  const content = new Table({
    head,
    chars: noBorders,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  content.push(...rows);
  const lines = content.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Names and values below each other, as one thing is described. */
export function facts(pairs: [string, string | number | null | undefined | false][]): string {
  const told = pairs.filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  );
  const width = Math.max(...told.map(([name]) => name.length));
  return told.map(([name, value]) => `${name.padEnd(width)}  ${String(value)}`).join('\n');
}

/** "1 payment", "2 payments". */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${String(n)} ${n === 1 ? singular : plural}`;
}
