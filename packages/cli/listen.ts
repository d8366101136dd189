/** `malipo listen`: shows a merchant's events as they happen, and forwards them to the developer's server. */
import { InputError } from '../../src/operator-actions/errors';
import type { Io } from './answers';
import { feedOf, type FeedEvent } from './feed';
import {
  createForwarder,
  newWebhookSecret,
  type Forwarded,
  type Forwarder,
  type SignatureCheck,
} from './forward';
import { merchantApi } from './merchant-api';
import { readProfile } from './profile';

/** After this time without data the connection counts as broken, and the API is called again. */
const readingMs = 60_000;

export interface ListenOptions {
  forwardTo?: string;
  profile: string;
  types?: string;
  after?: string;
  fromBeginning?: true;
  all?: true;
  checkSignature?: true;
  limit?: number;
  json?: true;
}

/** Ends with the key `q`, or after `limit` events. @returns false if the server failed the signature check. */
export async function listen(io: Io, options: ListenOptions): Promise<boolean> {
  const { forwardTo: url, json = false, limit = Infinity } = options;
  if (url !== undefined && !/^https?:\/\//.test(url)) throw new InputError('--forward-to needs an http URL.');
  const keys = await readProfile(io, options.profile);
  const stop = new AbortController();
  const { signal } = stop;
  const api = merchantApi(keys, { signal, readingMs });
  const secret = keys.webhook_secret ?? newWebhookSecret();
  const forwarder = url === undefined ? undefined : createForwarder(url, secret);
  const say = (line: string) => {
    if (!json) io.out(`${line}\n`);
  };
  const show = (event: FeedEvent, result: Forwarded | undefined, isAgain: boolean) => {
    if (json) io.out(`${JSON.stringify({ event, forwarded: result ?? null, again: isAgain })}\n`);
    else io.out(`${lineOf(event, result, isAgain)}\n`);
  };
  const patience = {
    signal,
    onTrouble(sentence: string) {
      io.err(`${sentence}\n`);
    },
  };
  let last: FeedEvent | undefined;
  let again = Promise.resolve();
  const release = io.keys?.((key) => {
    if (key === 'q' || key === '\u0003') stop.abort();
    if (key !== 'r' || !last || !forwarder) return;
    const event = last;
    again = again.then(async () => {
      show(event, await forwarder.send(event), true);
    });
  });
  try {
    say(`Listening to the events of ${keys.api_key} at ${keys.api_url}.`);
    if (url !== undefined) {
      const whose = keys.webhook_secret === undefined ? `, with the secret of this run: ${secret}` : '';
      say(`Events with a webhook are forwarded to ${url}, signed${whose}.`);
      say('Keys: r sends the last event again, q quits.');
    }
    const verifies = !options.checkSignature || !forwarder || (await checked(io, json, forwarder));
    if (limit === 0) return verifies;
    let shown = 0;
    for await (const event of feedOf(api, { ...options, ...patience })) {
      const isSent = forwarder && (options.all ?? event.has_webhook);
      show(event, isSent ? await forwarder.send(event) : undefined, false);
      if (isSent) last = event;
      shown += 1;
      if (shown >= limit) break;
    }
    return verifies;
  } finally {
    release?.();
    await again;
    await forwarder?.close();
  }
}

async function checked(io: Io, json: boolean, forwarder: Forwarder): Promise<boolean> {
  const check = await forwarder.check();
  const { signed, forged, verifies } = check;
  const sentence = `${checkedText(check)}: ${resultOf(signed)} for the signed test, ${resultOf(forged)} for the forged test.`;
  io.out(json ? `${JSON.stringify({ signature_check: check })}\n` : `${sentence}\n`);
  return verifies;
}

function checkedText({ signed, forged, verifies }: SignatureCheck): string {
  if (verifies) return 'Your server accepts a signed test and refuses a forged one';
  if (signed.http_status === null) return 'Your server did not answer';
  return forged.error === null
    ? 'Your server does not check signatures'
    : 'Your server refuses genuine webhooks, too; it may have another secret, or verify a parsed body';
}

function lineOf(event: FeedEvent, result: Forwarded | undefined, isAgain: boolean): string {
  const { created_at: at, type, payment_id: id, rail } = event;
  const sent = result === undefined ? '' : ` -> ${resultOf(result)}`;
  return `${at.slice(11, 19)}  ${type}  ${id}  ${rail}${sent}${isAgain ? ' (again)' : ''}`;
}

function resultOf({ http_status: status, error, duration_ms: ms }: Forwarded): string {
  return `${status === null ? (error ?? '') : String(status)} in ${String(ms)} ms`;
}
