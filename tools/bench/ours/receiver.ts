/**
 * A merchant's webhook endpoint: it answers at once, or late on request, and stores when each payment was announced.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clockMs } from '../load/payment';

export interface Receiver {
  url: string;
  /** Resolves with the time of the payment's success webhook; rejects on any other end, or without one. */
  delivered(paymentId: string): Promise<number>;
  /** From now on webhooks are answered with this delay; their content counts at arrival. */
  answerAfter(ms: number): void;
  close(): void;
}

interface Arrival {
  at: number;
  status: string;
}

/** Longer than any queue that the service may build up. */
const patienceMs = 60_000;

export async function startReceiver(): Promise<Receiver> {
  const arrivals = new Map<string, Arrival>();
  const waiting = new Map<string, (arrival: Arrival) => void>();
  let answerMs = 0;
  const server = createServer((request, response) => {
    const at = clockMs();
    void readBody(request).then((text) => {
      if (answerMs === 0) response.end();
      else setTimeout(() => response.end(), answerMs);
      const body = JSON.parse(text) as { payment_id?: string; transaction_id?: string; status: string };
      const { payment_id: paymentId, transaction_id: id = paymentId ?? '', status } = body;
      const notify = waiting.get(id);
      waiting.delete(id);
      // A webhook can arrive before the answer to the payment's request.
      if (notify) notify({ at, status });
      else arrivals.set(id, { at, status });
    });
  });
  // The sender keeps its connections; closing idle ones would measure reconnecting.
  server.keepAliveTimeout = patienceMs;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    async delivered(paymentId) {
      const arrival = arrivals.get(paymentId) ?? (await next(paymentId));
      arrivals.delete(paymentId);
      if (arrival.status !== 'Success') throw new Error(`payment ${paymentId} ended as ${arrival.status}`);
      return arrival.at;
    },
    answerAfter(ms) {
      answerMs = ms;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };

  function next(paymentId: string): Promise<Arrival> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(paymentId);
        reject(new Error(`payment ${paymentId} was not announced within ${patienceMs / 1_000} s`));
      }, patienceMs);
      waiting.set(paymentId, (arrival) => {
        clearTimeout(timer);
        resolve(arrival);
      });
    });
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
