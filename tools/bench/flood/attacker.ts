/** The attackers' own process, so that their own work does not count as the service's. */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { attackKinds, attackOf } from './attack';

export interface FloodPlan {
  apiUrl: string;
  merchantId: string;
  perSecond: number;
  /** Loopback addresses of the calls. */
  addresses: number;
  /** Connections that are held open without any data. */
  silentSockets: number;
}

/** The results of the calls, by kind and status; `cut` without an answer. */
export type FloodCounts = Record<string, Record<string, number>>;

const plan = JSON.parse(process.argv[2] ?? '{}') as FloodPlan;
const { hostname, port } = new URL(plan.apiUrl);
const counts: FloodCounts = {};
const sockets: Socket[] = [];
let isOver = false;

const addressOf = (n: number) => `127.1.${Math.floor(n / 250)}.${(n % 250) + 1}`;
const agents = Array.from(
  { length: plan.addresses },
  (_, n) => new Agent({ keepAlive: true, localAddress: addressOf(n), maxSockets: 8 }),
);

function count(kind: string, what: string): void {
  const ofKind = (counts[kind] ??= {});
  ofKind[what] = (ofKind[what] ?? 0) + 1;
}

function call(n: number): void {
  const kind = attackKinds[n % attackKinds.length] ?? 'initiate';
  const { path, headers, body } = attackOf(kind, plan.merchantId);
  const text = JSON.stringify(body);
  const agent = agents[Math.floor(Math.random() * agents.length)];
  const sent = request(
    {
      hostname,
      port,
      path,
      method: 'POST',
      ...(agent && { agent }),
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
    },
    (answer) => {
      count(kind, String(answer.statusCode));
      answer.resume();
    },
  );
  sent.on('error', () => {
    if (!isOver) count(kind, 'cut');
  });
  sent.end(text);
}

/** Reopened as often as they are closed. */
function holdSilently(n: number): void {
  if (isOver) return;
  const socket = connect({
    host: hostname,
    port: Number(port),
    localAddress: addressOf(n % plan.addresses),
  });
  sockets[n] = socket;
  socket.on('error', () => undefined);
  socket.resume();
  socket.once('close', () => setTimeout(holdSilently, 1_000, n));
}

async function besiege(): Promise<void> {
  for (let n = 0; n < plan.silentSockets; n += 1) holdSilently(n);
  process.send?.({ kind: 'begun' });
  const beganAt = performance.now();
  for (let n = 0; !isOver; n += 1) {
    const early = beganAt + (n * 1_000) / plan.perSecond - performance.now();
    if (early > 0) await delay(early);
    call(n);
  }
}

function end(): void {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  for (const agent of agents) agent.destroy();
}

process.once('message', () => {
  end();
  process.send?.({ kind: 'over', counts }, undefined, undefined, () => process.exit());
});
// The channel closes when the benchmark ends, in any way.
process.once('disconnect', () => process.exit());
void besiege();
