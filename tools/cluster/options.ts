import { readOptions, type StartOptions } from '../sandbox/options';

export interface ClusterOptions extends StartOptions {
  apis: number;
  workers: number;
  /** Processes of each Temporal service. */
  temporal: number;
}

const standard = { apis: 2, workers: 3, temporal: 2 };
const mostOfAKind = 16;
const usage =
  'usage: npm run cluster [-- --fresh] [-- --no-demo] [-- --apis N] [-- --workers N] [-- --temporal N]';

/** @throws an Error with the usage for anything unknown. */
export function readClusterOptions(args: string[]): ClusterOptions {
  const rest: string[] = [];
  const size = { ...standard };
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--apis') size.apis = count(left.shift());
    else if (arg === '--workers') size.workers = count(left.shift());
    else if (arg === '--temporal') size.temporal = count(left.shift());
    else rest.push(arg);
  }
  return { ...readOptions(rest, usage), ...size };
}

function count(text = ''): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= mostOfAKind) return number;
  throw new Error(`the number must be from 1 to ${String(mostOfAKind)}, not "${text}"\n${usage}`);
}
