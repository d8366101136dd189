/** What a running HAProxy is asked and told by its socket: one command a connection. */
import { connect } from 'node:net';

const timeoutMs = 5_000;

function tell(socket: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const line = connect(socket);
    line.setTimeout(timeoutMs, () => line.destroy(new Error(`HAProxy has not answered "${command}"`)));
    line.on('data', (chunk) => (said += chunk.toString()));
    line.once('error', reject);
    line.once('end', () => {
      resolve(said);
    });
    line.write(`${command}\n`);
  });
}

export type ServerState = 'ready' | 'drain';

export async function setState(socket: string, server: string, state: ServerState): Promise<void> {
  const said = (await tell(socket, `set server ${server} state ${state}`)).trim();
  if (said !== '') throw new Error(`HAProxy: ${said}`);
}

export interface ServerLook {
  /** As "backend/server". */
  name: string;
  /** `UP`, `DOWN`, `DRAIN`, `no check` and what lies between. */
  status: string;
  /** Requests that it is answering now. */
  current: number;
}

export async function lookAtServers(socket: string): Promise<ServerLook[]> {
  const [header = '', ...lines] = (await tell(socket, 'show stat')).trim().split('\n');
  const columns = header.replace(/^# /, '').split(',');
  return lines.map((line) => {
    const values = line.split(',');
    const of = (column: string) => values[columns.indexOf(column)] ?? '';
    return { name: `${of('pxname')}/${of('svname')}`, status: of('status'), current: Number(of('scur')) };
  });
}
