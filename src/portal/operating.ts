/** What operators do from the pages: commands of the command line, asked for and written down as it asks for them and writes. */

export interface Operated {
  /** `waits`: nothing was done yet, and a second operator is asked. */
  kind: 'done' | 'waits' | 'refused';
  text: string;
  json?: unknown;
  /** False where the command worked, and what it found is not well. */
  isWell?: boolean;
}

/** @param argv as it would be typed; what somebody has typed stands behind the `=` of an option. */
export type Operate = (
  operatorName: string,
  argv: string[],
  /** What somebody has sent: the command reads it in place of a file of that name. */
  sent?: { name: string; content: Buffer },
) => Promise<Operated>;
