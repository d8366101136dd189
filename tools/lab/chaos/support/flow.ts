/** One direction of a connection: what is sent arrives in the order in which it was sent, however late. */
import type { Socket } from 'node:net';

export interface Manners {
  delayMs: number;
  bytesPerSecond: number;
  isFrozen: boolean;
}

/** Bytes; or that there are no more, or that whoever sent them is gone. */
type Sent = Buffer | 'end' | 'close';

export interface Flow {
  push(sent: Sent): void;
  /** What waits need not wait any longer. */
  hurry(): void;
  /** What waits is lost, and so is what follows. */
  stop(): void;
}

/** Of what is narrow, so many pieces arrive in a second. */
const piecesPerSecond = 20;
const msPerSecond = 1_000;

/** @param manners are looked at anew for each piece. */
export function openFlow(to: Socket, manners: Readonly<Manners>): Flow {
  const waiting: { sent: Sent; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** When the bytes before have passed where it is narrow. */
  let freeAt = 0;

  function deliver(sent: Sent): void {
    if (to.destroyed) return;
    if (sent === 'close') to.destroy();
    else if (sent === 'end') to.end();
    else to.write(sent);
  }

  /** Cuts off what fits through at once where it is narrow, and leaves the rest at the front. */
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
