/** Sends an event to a developer's server in the form of its webhook. */
import { randomBytes } from 'node:crypto';
import { stringify } from 'lossless-json';
import { Webhook } from 'standardwebhooks';
import { Agent } from 'undici';
import { v7 as uuid } from 'uuid';
import { testBody } from '../../src/domain/event';
import { headersOf, postWebhook, type Message, type PostResult } from '../../src/webhooks/post';
import type { FeedEvent } from './feed';

export interface Forwarded {
  http_status: number | null;
  duration_ms: number;
  error: string | null;
}

/** The answers of a server to a signed test and to a forged test. */
export interface SignatureCheck {
  signed: Forwarded;
  forged: Forwarded;
  /** The server accepts the signed test and refuses the forged one. */
  verifies: boolean;
}

export interface Forwarder {
  send(event: FeedEvent): Promise<Forwarded>;
  check(): Promise<SignatureCheck>;
  close(): Promise<void>;
}

const timeoutMs = 10_000;

/** A secret for one run, for a developer who has no webhook secret. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function createForwarder(url: string, secret: string): Forwarder {
  const agent = new Agent({ connections: 4 });
  const post = async (
    event: Pick<Message, 'id' | 'callbackType' | 'eventType' | 'body'>,
    signedWith: string,
  ) => {
    const message = { ...event, url, at: new Date(), secrets: [signedWith] };
    // Checks that a receiver's library accepts what we send.
    new Webhook(signedWith).verify(message.body, headersOf(message));
    return forwarded(await postWebhook(agent, message, timeoutMs));
  };
  return {
    send: ({ id, type: eventType, callback_type: callbackType, data }) =>
      post({ id, callbackType, eventType, body: stringify(data) ?? '{}' }, secret),
    async check() {
      const test = () => {
        const id = uuid();
        const body = JSON.stringify(testBody(id, new Date()));
        return { id, callbackType: 'Test', body };
      };
      const signed = await post(test(), secret);
      const forged = await post(test(), newWebhookSecret());
      return { signed, forged, verifies: signed.error === null && forged.error !== null };
    },
    close: () => agent.close(),
  };
}

function forwarded({ httpStatus, durationMs, error }: PostResult): Forwarded {
  return { http_status: httpStatus, duration_ms: durationMs, error };
}
