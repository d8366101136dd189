/** How every test of this folder ends: the faults are over, and everything that was taken on has ended as it should. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { Database } from '../../../src/store/database';
import type { OutboxRow } from '../../../src/store/tables';
import { simulatorControl, type Exchange } from '../../support/rails/simulator-control';
import { expectClean } from '../../support/expect-clean';
import type { Stack, TestMerchant } from '../../support/stack';
import type { ReceivedWebhook } from '../../support/webhook-receiver';

export interface Expected {
  /** The merchants whose servers were up in the end. */
  merchants: TestMerchant[];
  /** Payments the API has answered for: none of them may be missing. */
  accepted?: string[];
  timeoutMs?: number;
}

/**
 * Waits until nothing is on its way any more; then every accepted payment is final, its merchant was told, its payer
 * was asked once, and `verify` agrees, the provider's own books included.
 */
export async function everythingEndsWell(
  stack: Stack,
  { merchants, accepted = [], timeoutMs = 90_000 }: Expected,
): Promise<void> {
  await nothingIsOpen(stack.db, timeoutMs);
  expect(await missing(stack.db, accepted)).toEqual([]);
  for (const merchant of merchants) expect(await untold(stack.db, merchant)).toEqual([]);
  await expectOnePromptEach(stack);
  await expectClean(stack);
}

/** Waits until every payment is final, every notification read and every webhook delivered or given up. */
export function nothingIsOpen(db: Database, timeoutMs = 90_000): Promise<true> {
  return waitFor(
    async () => {
      const open = await db('payments').where({ is_final: 0 }).select('payment_id', 'state');
      const unread = await db('inbox').where({ state: 'new' }).select('inbox_id', 'payment_id');
      const owed = await db('outbox').where({ state: 'pending' }).select('webhook_id', 'tries');
      if (open.length + unread.length + owed.length > 0) {
        throw new Error(`still open: ${JSON.stringify({ open, unread, owed })}`);
      }
      return true as const;
    },
    { what: 'everything to end', timeoutMs, everyMs: 200 },
  );
}

async function missing(db: Database, accepted: string[]): Promise<string[]> {
  const known = await db('payments').whereIn('payment_id', accepted).select('payment_id');
  return accepted.filter((id) => !known.some(({ payment_id }) => payment_id === id));
}

/** Webhooks that count as delivered and that the merchant has never seen, or has seen with another body. */
export async function untold(db: Database, { merchantId, receiver }: TestMerchant): Promise<string[]> {
  const webhooks = await db('outbox').where({ merchant_id: merchantId, state: 'delivered' });
  return webhooks
    .filter((webhook) => {
      const copies = receiver.received.filter(({ headers }) => headers['webhook-id'] === webhook.webhook_id);
      return copies.length === 0 || copies.some((copy) => !isCopyOf(webhook, copy));
    })
    .map(({ webhook_id }) => webhook_id);
}

/** The very bytes, save for the field that says when each try was sent. */
export function isCopyOf({ body, sent_at_field: stamped }: OutboxRow, { rawBody }: ReceivedWebhook): boolean {
  if (stamped === null) return rawBody === body;
  const unstamped = (text: string) =>
    JSON.stringify({ ...(JSON.parse(text) as Record<string, unknown>), [stamped]: '' });
  return unstamped(rawBody) === unstamped(body);
}

/** Too many requests, and an access token that has expired. */
const refusedUnheard = new Set([429, 404]);

/** No payer was asked twice for one payment; what the provider refused unheard does not count. */
async function expectOnePromptEach({ simulatorUrl }: Stack): Promise<void> {
  const prompts = await initiations(simulatorUrl);
  const heard = prompts.filter(({ answer }) => !refusedUnheard.has(answer?.status ?? 0));
  const urls = heard.map(callbackUrlOf);
  expect(urls.filter((url, index) => urls.indexOf(url) !== index)).toEqual([]);
}

export function initiations(simulatorUrl: string): Promise<Exchange[]> {
  return simulatorControl(simulatorUrl, 'stk').exchanges('initiate');
}

/** Where the provider was told to report a payment: different for each. */
export function callbackUrlOf({ body }: Exchange): string {
  return String(body['CallBackURL']);
}
