/** Progress of long steps: on a terminal one line that moves, in a log one line at each end and one a minute. */
import { cutText } from '../../../src/domain/cut-text';
import { showControls } from '../../../src/domain/controls';

/** Where progress goes: stderr, so that a command's stdout stays clean. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export interface Progress {
  say(line: string): void;
  step<T>(title: string, work: () => Promise<T>): Promise<T>;
}

const movesMs = 1_000;
const logsMs = 60_000;
const standardColumns = 80;
const eraseLine = '\r\u001b[K';

export function progressOn(stream: ProgressStream): Progress {
  const isTerminal = stream.isTTY === true;
  const running: { title: string; since: number }[] = [];

  const shown = ({ title, since }: { title: string; since: number }) =>
    `${title} (${((Date.now() - since) / 1000).toFixed(1)} s)`;
  /** Of steps that run at once, the last one. */
  const draw = () => {
    const last = running.at(-1);
    // A line that wraps could not be erased.
    if (isTerminal && last)
      stream.write(eraseLine + cutText(`… ${shown(last)}`, (stream.columns ?? standardColumns) - 1));
  };
  const say = (line: string) => {
    const erased = isTerminal && running.length > 0 ? eraseLine : '';
    stream.write(`${erased}${showControls(line)}\n`);
    draw();
  };

  return {
    say,
    async step(title, work) {
      const own = { title, since: Date.now() };
      running.push(own);
      if (isTerminal) draw();
      else say(`… ${title}`);
      const repeat = setInterval(
        () => {
          if (isTerminal) draw();
          else say(`… ${shown(own)}`);
        },
        isTerminal ? movesMs : logsMs,
      );
      const ended = (mark: string) => {
        clearInterval(repeat);
        const erased = isTerminal ? eraseLine : '';
        running.splice(running.indexOf(own), 1);
        stream.write(`${erased}${mark} ${showControls(shown(own))}\n`);
        draw();
      };
      try {
        const result = await work();
        ended('✓');
        return result;
      } catch (error) {
        ended('✗');
        throw error;
      }
    },
  };
}

export const { say, step } = progressOn(process.stderr);
