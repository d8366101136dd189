/** The output of `node --cpu-prof` at a thread's end: its place in the code, about a thousand times a second. */
export interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  /** Microseconds by the clock of `process.hrtime()`, the same in all processes of a machine. */
  startTime: number;
  samples: number[];
  /** Microseconds since the previous sample, or the start. */
  timeDeltas: number[];
}

export interface CallFrame {
  functionName: string;
  url: string;
  /** From 0. */
  lineNumber: number;
}

/** The start and end of the analysed time, by `clockUs`. */
export interface Span {
  fromUs: number;
  toUs: number;
}

/** A place in the code where a thread was seen, and its total time there. */
export interface Seen {
  /** From the innermost call outwards. */
  stack: CallFrame[];
  ms: number;
}

/** A thread that waits for a processor is not sampled: waiting is no work. */
const sampleUsMax = 2_000;

export function clockUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function seenIn({ nodes, startTime, samples, timeDeltas }: CpuProfile, span: Span): Seen[] {
  const usOf = new Map<number, number>();
  let at = startTime;
  for (const [index, node] of samples.entries()) {
    const us = timeDeltas[index] ?? 0;
    at += us;
    if (at < span.fromUs || at >= span.toUs) continue;
    usOf.set(node, (usOf.get(node) ?? 0) + Math.min(Math.max(us, 0), sampleUsMax));
  }
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  return [...usOf].map(([node, us]) => {
    const stack: CallFrame[] = [];
    for (let id: number | undefined = node; id !== undefined; id = callers.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (frame) stack.push(frame);
    }
    return { stack, ms: us / 1_000 };
  });
}
