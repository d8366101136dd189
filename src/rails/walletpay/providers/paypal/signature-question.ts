import { createHash } from 'node:crypto';
import type { Begin, PaypalAnswer } from './calls';
import type { WebhookVerdict } from './webhook-signature';
import { recordOf } from './wire';

/** The signature fields of an event. */
export interface Transmission {
  id: string;
  time: string;
  signature: string;
  certUrl: string;
  algorithm: string;
}

const path = '/v1/notifications/verify-webhook-signature';
const timeoutMs = 10_000;
/** Limits the queries that copies of old signed events can cause: one query per copy, and this many at a time. */
const questionsMax = 8;
const answersKept = 1_000;

/**
 * Asks the provider whether a signature is authentic (Webhooks v1, verify_webhook_signature_post), for certificates
 * without a complete chain. Only its SUCCESS is a proof.
 */
export function signatureQuestion(begin: Begin, webhookId: string) {
  const answers = new Map<string, WebhookVerdict>();
  const asking = new Map<string, Promise<WebhookVerdict>>();

  async function ask(transmission: Transmission, event: string): Promise<WebhookVerdict> {
    const { id, time, signature, certUrl, algorithm } = transmission;
    const fields = JSON.stringify({
      auth_algo: algorithm,
      cert_url: certUrl,
      transmission_id: id,
      transmission_sig: signature,
      transmission_time: time,
      webhook_id: webhookId,
    });
    const answer = await begin({ timeoutMs, requestId: id })({
      call: 'verify_event',
      method: 'POST',
      path,
      // The event's original bytes, because the provider calculates the checksum of the bytes that it gets.
      rawBody: `${fields.slice(0, -1)},"webhook_event":${event}}`,
    });
    return readVerdict(answer);
  }

  return async function verdictOn(transmission: Transmission, rawBody: Buffer): Promise<WebhookVerdict> {
    const event = rawBody.toString('utf8');
    if (!isObject(event)) return { kind: 'forged', why: 'the body is not an event' };
    const key = createHash('sha256').update(JSON.stringify(transmission)).update(rawBody).digest('base64');
    const known = answers.get(key) ?? asking.get(key);
    if (known) return known;
    if (asking.size >= questionsMax)
      return { kind: 'unknown', why: 'too many signatures are being verified' };
    const asked = ask(transmission, event).finally(() => asking.delete(key));
    asking.set(key, asked);
    const verdict = await asked;
    if (verdict.kind === 'unknown') return verdict;
    const [oldest] = answers.keys();
    if (answers.size >= answersKept && oldest !== undefined) answers.delete(oldest);
    answers.set(key, verdict);
    return verdict;
  };
}

/** Anything but an answer to the query leaves the result open, and the provider sends the event again. */
function readVerdict(answer: PaypalAnswer): WebhookVerdict {
  if (answer.kind !== 'answered') return { kind: 'unknown', why: answer.text };
  const status = answer.status === 200 ? recordOf(answer.json)['verification_status'] : undefined;
  if (status === 'SUCCESS') return { kind: 'genuine' };
  if (status === 'FAILURE')
    return { kind: 'forged', why: 'the provider says that the signature is not authentic' };
  const isRefused = answer.status === 400 || answer.status === 404 || answer.status === 422;
  const why = `the signature query was answered ${String(answer.status)}`;
  return { kind: isRefused ? 'forged' : 'unknown', why };
}

/** The embedded text must not add fields to the query. */
function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
