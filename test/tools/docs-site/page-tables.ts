/** The tables of a page in markdown, for tests that compare them with the code. */

export interface PageTable {
  /** The heading above it, of any level. */
  heading: string;
  head: string[];
  rows: string[][];
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

export function pageTables(markdown: string): PageTable[] {
  const tables: PageTable[] = [];
  let heading = '';
  let open: PageTable | undefined;
  for (const line of markdown.split('\n')) {
    const [, found] = /^#+ (.+)/.exec(line) ?? [];
    if (found !== undefined) heading = found;
    if (!line.startsWith('|')) {
      open = undefined;
    } else if (open === undefined) {
      open = { heading, head: cellsOf(line), rows: [] };
      tables.push(open);
    } else if (!/^\|[ |:-]+\|$/.test(line)) {
      open.rows.push(cellsOf(line));
    }
  }
  return tables;
}
