/** Sends requests for a time, and reports wrong answers. */
import { Agent } from 'node:http';
import { requestOf } from './generate';
import { faultOf } from './judge';
import { replayLine, type FuzzRequest } from './request';
import { send } from './send';
import type { Target } from './targets';
import type { World } from './world';

export interface FuzzPlan {
  seed: number;
  /** Whichever comes first. */
  requestsMax: number;
  msMax: number;
  /** Concurrent requests. */
  concurrency: number;
}

export interface Failure {
  request: FuzzRequest;
  why: string;
  status: number;
  /** The beginning of the answer. */
  text: string;
  line: string;
}

export interface FuzzResult {
  sent: number;
  seconds: number;
  /** How many answers had each status. */
  statuses: Record<string, number>;
  failures: Failure[];
}

const refreshEvery = 500;
/** One error appears in thousands of answers; some of each kind are enough. */
const keptOfAKind = 3;

export interface Subject {
  apiPort: number;
  targets: readonly Target[];
  world: World;
}

export async function tryOne(subject: Subject, agent: Agent, request: FuzzRequest) {
  const answer = await send(request, subject.apiPort, agent, subject.world.valueOf);
  return { answer, why: faultOf(request, answer) };
}

export async function fuzz(
  subject: Subject,
  plan: FuzzPlan,
  say: (line: string) => void,
): Promise<FuzzResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.concurrency });
  const begun = performance.now();
  const statuses: Record<string, number> = {};
  const failures: Failure[] = [];
  const kinds = new Map<string, number>();
  let next = 0;

  function note(request: FuzzRequest, why: string, status: number, text: string): void {
    const kind = `${request.route} ${why}`;
    const seen = (kinds.get(kind) ?? 0) + 1;
    kinds.set(kind, seen);
    if (seen > keptOfAKind) return;
    failures.push({ request, why, status, text: text.slice(0, 300), line: replayLine(request) });
    say(`✗ ${request.route}: ${why} (${String(status)})\n  ${replayLine(request)}`);
  }

  async function bulkhead(): Promise<void> {
    while (next < plan.requestsMax && performance.now() - begun < plan.msMax) {
      const index = next;
      next += 1;
      if (index % refreshEvery === refreshEvery - 1) await subject.world.refresh();
      const request = requestOf(subject.targets, plan.seed, index);
      const { answer, why } = await tryOne(subject, agent, request);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (why !== undefined) note(request, why, answer.status, answer.text || (answer.fault ?? ''));
    }
  }
  await Promise.all(Array.from({ length: plan.concurrency }, bulkhead));
  agent.destroy();
  return { sent: next, seconds: (performance.now() - begun) / 1_000, statuses, failures };
}

/** The canaries in the logs, with the beginning of each line. */
export function canariesIn(logs: string, seed: number): string[] {
  const mark = `cnry${seed.toString(36)}z`;
  return logs
    .split('\n')
    .filter((line) => line.includes(mark))
    .map((line) => line.slice(0, 500));
}
