/** Proxies in front of a production Temporal: one terminates TLS and requires a certificate, one requires a key. */
import { connect as connectHttp2, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import type { Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { Identity } from '../../support/rails/walletpay/paypal-certificates';
import { testTemporalAddress } from '../../support/temporal';

export interface TlsFront {
  address: string;
  /** From now on it uses another certificate and trusts another authority; open connections are closed. */
  rotate(server: Identity, authority: Identity): void;
  close(): Promise<void>;
}

/** Requires a client certificate, and forwards to the tests' Temporal. */
export async function tlsFront(server: Identity, authority: Identity): Promise<TlsFront> {
  const [host = '', port = ''] = testTemporalAddress().split(':');
  const sockets = new Set<Socket>();
  const front = createServer(
    {
      ...contextOf(server, authority),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      const behind = connectPlain(Number(port), host);
      sockets.add(socket);
      socket.pipe(behind).pipe(socket);
      const end = (): void => {
        sockets.delete(socket);
        socket.destroy();
        behind.destroy();
      };
      socket.on('error', end).on('close', end);
      behind.on('error', end).on('close', end);
    },
  );
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: addressOf(front.address()),
    rotate(nextServer, nextAuthority) {
      front.setSecureContext(contextOf(nextServer, nextAuthority));
      cut();
    },
    close: () =>
      new Promise((resolve) => {
        front.close(() => {
          resolve();
        });
        cut();
      }),
  };
}

function contextOf({ pem, keyPem }: Identity, authority: Identity): TlsOptions {
  return { cert: pem, key: keyPem, ca: authority.pem };
}

export interface KeyFront {
  address: string;
  /** The accepted keys. */
  keys: Set<string>;
  /** The number of calls with each key. */
  heard: Map<string, number>;
  /** Ends the pending calls, such as a worker's polls, so that they are made again. */
  cut(): void;
  close(): Promise<void>;
}

/** Requires a key, as Temporal Cloud does: gRPC's code without one is 16, unauthenticated. */
export async function keyFront({ pem, keyPem }: Identity, keys: Set<string>): Promise<KeyFront> {
  const behind = connectHttp2(`http://${testTemporalAddress()}`);
  const heard = new Map<string, number>();
  const front = createSecureServer({ cert: pem, key: keyPem });
  front.on('stream', (stream, headers) => {
    const key = String(headers.authorization).replace(/^Bearer /, '');
    heard.set(key, (heard.get(key) ?? 0) + 1);
    stream.on('error', () => undefined);
    if (!keys.has(key)) {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
        { endStream: true },
      );
      return;
    }
    const { authorization: _, ':authority': __, ':scheme': ___, ...rest } = headers;
    passOn(stream, behind.request({ ...rest, ':scheme': 'http' }));
  });
  const sessions = new Set<{ destroy(): void }>();
  front.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  const cut = (): void => {
    for (const session of sessions) session.destroy();
  };
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    address: addressOf(front.address()),
    keys,
    heard,
    cut,
    close: () =>
      new Promise((resolve) => {
        front.close(() => {
          behind.destroy();
          resolve();
        });
        cut();
      }),
  };
}

function passOn(
  stream: ServerHttp2Stream,
  onward: ReturnType<ReturnType<typeof connectHttp2>['request']>,
): void {
  stream.pipe(onward);
  onward.on('error', () => {
    stream.destroy();
  });
  stream.on('close', () => {
    onward.destroy();
  });
  let trailers = {};
  onward.on('response', (headers, flags) => {
    const { ':status': status, ...rest } = headers;
    const isAll = (flags & 1) !== 0;
    stream.respond({ ':status': Number(status), ...rest }, { endStream: isAll, waitForTrailers: !isAll });
    if (isAll) return;
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    onward.on('trailers', (reported) => {
      trailers = reported;
    });
    onward.pipe(stream);
  });
}

function addressOf(address: AddressInfo | string | null): string {
  return `127.0.0.1:${String((address as AddressInfo).port)}`;
}
