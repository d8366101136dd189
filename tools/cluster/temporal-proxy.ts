/**
 * HAProxy in front of Temporal's frontends. It passes bytes through, so that both ends verify each other's
 * certificates. A frontend that is shutting down fails its checks, and gets no new connection.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, whenReady, type Service } from '../sandbox/services/child-process';
import { listensOn } from '../sandbox/services/port-holder';
import { frontendName, type TlsFiles } from './certificates';
import { healthQuestion, healthyAnswer } from './grpc-health-check';
import type { TemporalInstance } from './temporal-ports';

const loopback = '127.0.0.1';
const called = "Temporal's balancer";
/** The name under which a frontend reports its health. */
const workflowService = 'temporal.api.workflowservice.v1.WorkflowService';

/** After a failed check, the next one comes well within the time that a stopping frontend still serves. */
const checks = 'inter 500ms fastinter 200ms downinter 200ms fall 2 rise 1';

export interface TemporalProxyOptions {
  program: string;
  folder: string;
  port: number;
  frontends: readonly TemporalInstance[];
  /** Only the checks use it, towards the frontends. */
  client: TlsFiles;
  logFile: string;
}

export async function temporalProxy(options: TemporalProxyOptions): Promise<Service> {
  const { program, folder, port, client, logFile } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const identity = join(folder, 'checks.pem');
  const [certificate, key] = [await readFile(client.certFile), await readFile(client.keyFile)];
  await writeFile(identity, Buffer.concat([certificate, key]), { mode: 0o600 });
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, settings(options, identity));
  return {
    name: called,
    spawn: () => startChild({ name: called, command: program, args: ['-f', file, '-db'], logFile }),
    ready: (child) =>
      whenReady(child, () => listensOn(child.pid, port), {
        what: `${called} at ${loopback}:${String(port)}`,
        timeoutMs: 60_000,
      }),
  };
}

function settings({ port, frontends, client }: TemporalProxyOptions, identity: string): string {
  const servers = frontends.map(
    ({ name, grpc }) =>
      `  server ${name} ${loopback}:${String(grpc)} check ${checks} check-ssl check-alpn h2 check-sni ${frontendName} verify required verifyhost ${frontendName} ca-file ${client.caFile} crt ${identity}`,
  );
  return `global
  maxconn 4096

defaults
  mode tcp
  timeout connect 2s
  # Connections stay open: both ends send keep-alives every half minute.
  timeout client 5m
  timeout server 5m
  timeout check 3s
  retries 4
  option redispatch 1

listen temporal
  bind ${loopback}:${String(port)}
  balance leastconn
  option tcp-check
  tcp-check send-binary ${healthQuestion(frontendName, workflowService)}
  tcp-check expect binary ${healthyAnswer}
${servers.join('\n')}
`;
}
