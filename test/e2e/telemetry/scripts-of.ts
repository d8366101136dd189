import { WebSocket } from 'undici';
import { waitFor } from '../../../tools/sandbox/services/wait-for';

/** Every script that a process has loaded, by its URL. Queries the process itself, by Node's inspector on this port. */
export async function scriptsOf(pid: number, port: number): Promise<string[]> {
  process.kill(pid, 'SIGUSR1');
  const [target] = await waitFor(
    async () =>
      (await fetch(`http://127.0.0.1:${String(port)}/json/list`)).json() as Promise<
        [{ webSocketDebuggerUrl: string }]
      >,
    { what: 'the inspector', timeoutMs: 30_000 },
  );
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  const scripts: string[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', () => {
      reject(new Error('the inspector hung up'));
    });
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }));
    });
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; params?: { url?: string } };
      if (message.params?.url !== undefined) scripts.push(message.params.url);
      if (message.id === 1) resolve();
    });
  });
  const closed = new Promise((resolve) => {
    socket.addEventListener('close', resolve);
  });
  socket.close();
  await closed;
  return scripts;
}
