/** Who holds the server's connections, and who has to give one up when somebody else needs it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../../domain/ip-address';

export interface ConnectionLimits {
  connectionsMax: number;
  /** Of one IPv4 address or one IPv6 /64. */
  perAddressMax: number;
  /** True for a proxy of ours, which speaks for many callers. */
  isProxy(address: string): boolean;
}

export interface Connections {
  /** From now on every answer tells its caller to open a new connection, elsewhere. */
  announceEnd(): void;
  /** Closes what has had nothing to do for so long. */
  closeIdle(idleMs: number): void;
}

/** What somebody has called through who proved who they are. Forgotten with the connection. */
const vouchedFor = new WeakSet<Socket>();

/** From now on the connection is given up only when there is no other: strangers must not cut a merchant off. */
export function vouchFor({ socket }: IncomingMessage): void {
  vouchedFor.add(socket);
}

interface Held {
  socket: Socket;
  /** The requests that have not been answered. */
  open: Map<IncomingMessage, ServerResponse>;
  hasAsked: boolean;
  idleSince: number;
}

/** The server waits for the caller, and not the other way round: no request has come, or not all of one. */
function isSilent({ open }: Held): boolean {
  return [...open.keys()].every((request) => !request.complete);
}

type Kind = (held: Held) => boolean;
const isStrangers: Kind = ({ socket }) => !vouchedFor.has(socket);
const isAnybodys: Kind = () => true;

/** In the order in which they came: the oldest that never asked for anything, then the oldest that asks no more. */
function findSilent(own: ReadonlySet<Held>, isOfKind: Kind): Held | undefined {
  const silent = [...own].filter((held) => isSilent(held) && isOfKind(held));
  return silent.find(({ hasAsked }) => !hasAsked) ?? silent[0];
}

/**
 * An address that has its share gets another connection only in place of a silent one of its own. When the server is
 * full, the address that holds most gives up its oldest silent one, so that there is always room for a new caller.
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

  /** Proxies last: behind one of their connections may be anybody. */
  function closeGreediest(): boolean {
    const greed = ([block, own]: [string, Set<Held>]) =>
      proxies.has(block) ? own.size - limits.connectionsMax - 1 : own.size;
    const byGreed = [...byAddress].sort((a, b) => greed(b) - greed(a));
    const closeOne = (isOfKind: Kind) => byGreed.some(([block]) => closeSilentOf(block, isOfKind));
    return closeOne(isStrangers) || closeOne(isAnybodys);
  }

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const isProxy = limits.isProxy(address);
    const block = isProxy ? address : addressBlock(address);
    if (isProxy) proxies.add(block);
    const share = isProxy ? limits.connectionsMax : limits.perAddressMax;
    const hasShare = (byAddress.get(block)?.size ?? 0) >= share;
    const closeOwn = () => closeSilentOf(block, isStrangers) || closeSilentOf(block, isAnybodys);
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
    announceEnd() {
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
