/** Limits the server's connections, and closes idle ones when a new caller needs a connection. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../../domain/ip-address';

export interface ConnectionLimits {
  connectionsMax: number;
  /** For one IPv4 address or one IPv6 /64. */
  perAddressMax: number;
  /** True for a trusted proxy, which forwards requests of many callers. */
  isProxy(address: string): boolean;
}

export interface Connections {
  /** From now on every answer asks its client to close the connection, and to open a new one at another process. */
  signalEnd(): void;
  /** Closes connections that have been idle for this long. */
  closeIdle(idleMs: number): void;
}

/** Connections that an authenticated caller has used. The entry ends with the connection. */
const vouchedFor = new WeakSet<Socket>();

/**
 * From now on this connection is closed only if no other can be: unauthenticated callers must not disconnect a
 * merchant.
 */
export function vouchFor({ socket }: IncomingMessage): void {
  vouchedFor.add(socket);
}

interface Held {
  socket: Socket;
  /** Requests that have not been answered yet. */
  open: Map<IncomingMessage, ServerResponse>;
  hasAsked: boolean;
  idleSince: number;
}

/** The server waits for the client: no request, or only a part of one, has arrived. */
function isSilent({ open }: Held): boolean {
  return [...open.keys()].every((request) => !request.complete);
}

type Kind = (held: Held) => boolean;
const isUnauthenticated: Kind = ({ socket }) => !vouchedFor.has(socket);
const isAnybodys: Kind = () => true;

/** By age: first the oldest connection that never sent a request, then the oldest idle one. */
function findSilent(own: ReadonlySet<Held>, isOfKind: Kind): Held | undefined {
  const silent = [...own].filter((held) => isSilent(held) && isOfKind(held));
  return silent.find(({ hasAsked }) => !hasAsked) ?? silent[0];
}

/**
 * An address that has reached its limit gets a new connection only in place of an idle one of its own. When the server
 * is full, the address with the most connections loses its oldest idle one. So a new caller can always connect.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  const byAddress = new Map<string, Set<Held>>();
  const bySocket = new WeakMap<Socket, Held>();
  const proxies = new Set<string>();
  let total = 0;
  let isEnding = false;

  function forget(block: string, held: Held): void {
    const own = byAddress.get(block);
    if (!own?.delete(held)) return;
    total -= 1;
    if (own.size === 0) byAddress.delete(block);
  }

  function closeSilentOf(block: string, isOfKind: Kind): boolean {
    const held = findSilent(byAddress.get(block) ?? new Set(), isOfKind);
    if (!held) return false;
    forget(block, held);
    held.socket.destroy();
    return true;
  }

  /** Proxies last: any caller may be behind one of their connections. */
  function closeGreediest(): boolean {
    const greed = ([block, own]: [string, Set<Held>]) =>
      proxies.has(block) ? own.size - limits.connectionsMax - 1 : own.size;
    const byGreed = [...byAddress].sort((a, b) => greed(b) - greed(a));
    const closeOne = (isOfKind: Kind) => byGreed.some(([block]) => closeSilentOf(block, isOfKind));
    return closeOne(isUnauthenticated) || closeOne(isAnybodys);
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const isProxy = limits.isProxy(address);
    const block = isProxy ? address : addressBlock(address);
    if (isProxy) proxies.add(block);
    const share = isProxy ? limits.connectionsMax : limits.perAddressMax;
    const hasShare = (byAddress.get(block)?.size ?? 0) >= share;
    const closeOwn = () => closeSilentOf(block, isUnauthenticated) || closeSilentOf(block, isAnybodys);
    const hasRoom = hasShare ? closeOwn() : total < limits.connectionsMax || closeGreediest();
    if (!hasRoom) {
      socket.destroy();
      return;
    }
    const held: Held = { socket, open: new Map(), hasAsked: false, idleSince: performance.now() };
    const own = byAddress.get(block) ?? new Set();
    byAddress.set(block, own.add(held));
    bySocket.set(socket, held);
    total += 1;
    socket.once('close', () => {
      forget(block, held);
    });
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const held = bySocket.get(request.socket);
    if (isEnding) response.setHeader('Connection', 'close');
    if (!held) return;
    held.hasAsked = true;
    held.open.set(request, response);
    response.once('close', () => {
      held.open.delete(request);
      held.idleSince = performance.now();
    });
  });

  const allHeld = (): Held[] => [...byAddress.values()].flatMap((own) => [...own]);
  return {
    signalEnd() {
      isEnding = true;
      for (const { open } of allHeld()) {
        for (const response of open.values()) {
          if (!response.headersSent) response.setHeader('Connection', 'close');
        }
      }
    },
    closeIdle(idleMs) {
      const before = performance.now() - idleMs;
      for (const { socket, open, idleSince } of allHeld()) {
        if (open.size === 0 && idleSince <= before) socket.destroy();
      }
    },
  };
}
