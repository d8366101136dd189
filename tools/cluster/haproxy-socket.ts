/** Commands to a running HAProxy by its socket, one per connection. */
import { connect } from 'node:net';

const timeoutMs = 5_000;

function send(socket: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const line = connect(socket);
    line.setTimeout(timeoutMs, () => line.destroy(new Error(`HAProxy did not answer "${command}"`)));
    line.on('data', (chunk) => (answer += chunk.toString()));
    line.once('error', reject);
    line.once('end', () => {
      resolve(answer);
    });
    line.write(`${command}\n`);
  });
}

export type ServerState = 'ready' | 'drain';

export async function setState(socket: string, server: string, state: ServerState): Promise<void> {
  const answer = (await send(socket, `set server ${server} state ${state}`)).trim();
  if (answer !== '') throw new Error(`HAProxy: ${answer}`);
}

export interface ServerReading {
  /** As "backend/server". */
  name: string;
  /** `UP`, `DOWN`, `DRAIN`, `no check` and values between them. */
  status: string;
  /** Requests in progress. */
  current: number;
}

export async function readServers(socket: string): Promise<ServerReading[]> {
  const [header = '', ...lines] = (await send(socket, 'show stat')).trim().split('\n');
  const columns = header.replace(/^# /, '').split(',');
  return lines.map((line) => {
    const values = line.split(',');
    const of = (column: string) => values[columns.indexOf(column)] ?? '';
    return { name: `${of('pxname')}/${of('svname')}`, status: of('status'), current: Number(of('scur')) };
  });
}
