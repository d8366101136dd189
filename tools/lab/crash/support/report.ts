/** The result of a run, in lines. */
import type { Run, Tried } from './run';
import { nameOf, type Point } from './trial';

/** @param run whose `tried` may include the points of earlier runs. */
export function reportOf({ points: passed, tried, broken }: Run): string[] {
  const points = [
    ...new Map(
      [...passed, ...tried.map(({ point }) => point)].map((point) => [nameOf(point), point]),
    ).values(),
  ];
  const hit = tried.filter(({ trial }) => trial.killed);
  const wrong = tried.filter(({ trial }) => trial.faults.length > 0);
  const operations = [...new Set(points.map(({ operation }) => operation))];
  return [
    ...broken.map((why) => `✗ without any interruption: ${why}`),
    ...operations.map((name) => lineOf(name, points, tried)),
    `kinds of points: ${shares(points.map(kindOf))}`,
    `processes: ${shares(points.map(({ victim }) => victim))}`,
    `ends: ${shares(hit.flatMap(({ trial }) => trial.ends))}`,
    `from the request to rest: p50 ${at(hit, 0.5)} s, p99 ${at(hit, 0.99)} s, at most ${at(hit, 1)} s`,
    `${points.length} points, ${tried.length} tried, ${hit.length} killed there, ` +
      `${tried.length - hit.length} not passed, ${wrong.length} violations`,
  ];
}

function lineOf(name: string, points: Point[], tried: Tried[]): string {
  const own = tried.filter(({ point }) => point.operation === name);
  const wrong = own.filter(({ trial }) => trial.faults.length > 0).length;
  const all = points.filter(({ operation }) => operation === name).length;
  const killed = own.filter(({ trial }) => trial.killed).length;
  return `${name}: ${all} points, ${killed} killed, ${wrong} violations`;
}

/** For example `transaction.commit` or `call.sent`. */
function kindOf({ boundary }: Point): string {
  const within = boundary.replace(/^(?:[^#]*#\d+|rounds|command)\/?/, '');
  const what = /^\w+/.exec(within)?.[0] ?? 'task';
  const when = boundary.split('.').at(-1) ?? '';
  return what === 'begin' ? 'activity.begin' : `${what}.${when}`;
}

function shares(words: string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ');
}

function at(tried: Tried[], share: number): string {
  const sorted = tried.map(({ trial }) => trial.ms).sort((one, other) => one - other);
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return ((sorted[index] ?? 0) / 1_000).toFixed(1);
}
