/** One direction of a connection: data arrives in order, however late. */
import type { Socket } from 'node:net';

export interface Manners {
  delayMs: number;
  bytesPerSecond: number;
  isFrozen: boolean;
}

/** Bytes; or the end of the data; or the loss of the sender. */
type Sent = Buffer | 'end' | 'close';

export interface Flow {
  push(sent: Sent): void;
  /** Ends the delays of queued data. */
  hurry(): void;
  /** Drops queued data, and all later data. */
  stop(): void;
}

/** The number of pieces per second on a narrow connection. */
const piecesPerSecond = 20;
const msPerSecond = 1_000;

/** @param manners are read again for each piece. */
export function openFlow(to: Socket, manners: Readonly<Manners>): Flow {
  const waiting: { sent: Sent; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** When earlier bytes have passed a narrow connection. */
  let freeAt = 0;

  function deliver(sent: Sent): void {
    if (to.destroyed) return;
    if (sent === 'close') to.destroy();
    else if (sent === 'end') to.end();
    else to.write(sent);
  }

  /** Takes as many bytes as a narrow connection carries at once, and leaves the rest. */
  function pieceOf(first: { sent: Sent }, now: number): Sent {
    const { bytesPerSecond } = manners;
    if (bytesPerSecond === Infinity || typeof first.sent === 'string') {
      waiting.shift();
      return first.sent;
    }
    const piece = first.sent.subarray(0, Math.max(1, Math.floor(bytesPerSecond / piecesPerSecond)));
    freeAt = now + (piece.length / bytesPerSecond) * msPerSecond;
    if (piece.length === first.sent.length) waiting.shift();
    else first.sent = first.sent.subarray(piece.length);
    return piece;
  }

  function pump(): void {
    clearTimeout(timer);
    timer = undefined;
    for (let first = waiting[0]; first && !manners.isFrozen; first = waiting[0]) {
      const now = performance.now();
      const leastMs = Math.max(first.dueAt, freeAt) - now;
      if (leastMs > 0) {
        timer = setTimeout(pump, leastMs);
        return;
      }
      deliver(pieceOf(first, now));
    }
  }

  return {
    push(sent) {
      if (isStopped) return;
      waiting.push({ sent, dueAt: performance.now() + manners.delayMs });
      if (timer === undefined) pump();
    },
    hurry() {
      for (const one of waiting) one.dueAt = 0;
      freeAt = 0;
      pump();
    },
    stop() {
      isStopped = true;
      waiting.length = 0;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
