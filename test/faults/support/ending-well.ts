/** How every test of this folder ends: after the faults, every accepted payment has ended as it should. */
import { waitFor } from '../../../tools/sandbox/services/wait-for';
import type { Database } from '../../../src/store/database';
import type { OutboxRow } from '../../../src/store/tables';
import { simulatorControl, type Exchange } from '../../support/rails/simulator-control';
import { expectClean } from '../../support/expect-clean';
import type { Stack, TestMerchant } from '../../support/stack';
import type { ReceivedWebhook } from '../../support/webhook-receiver';

export interface Expected {
  /** The merchants whose servers were up at the end. */
  merchants: TestMerchant[];
  /** Payments that the API has answered: none of them may be missing. */
  accepted?: string[];
  timeoutMs?: number;
}

/**
 * Waits until nothing is in progress. Then every accepted payment is final, its merchant has its webhooks, its payer
 * was prompted once, and `verify` agrees, including the provider's own books.
 */
export async function everythingEndsWell(
  stack: Stack,
  { merchants, accepted = [], timeoutMs = 90_000 }: Expected,
): Promise<void> {
  await nothingIsOpen(stack.db, timeoutMs);
  expect(await missing(stack.db, accepted)).toEqual([]);
  for (const merchant of merchants) expect(await unreported(stack.db, merchant)).toEqual([]);
  await expectOnePromptEach(stack);
  await expectClean(stack);
}

/** Waits until every payment is final, every notification read, and every webhook delivered or dead. */
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

/** Webhooks marked as delivered that the merchant has never received, or received with another body. */
export async function unreported(db: Database, { merchantId, receiver }: TestMerchant): Promise<string[]> {
  const webhooks = await db('outbox').where({ merchant_id: merchantId, state: 'delivered' });
  return webhooks
    .filter((webhook) => {
      const copies = receiver.received.filter(({ headers }) => headers['webhook-id'] === webhook.webhook_id);
      return copies.length === 0 || copies.some((copy) => !isCopyOf(webhook, copy));
    })
    .map(({ webhook_id }) => webhook_id);
}

/** The same bytes, except for the field with the time of each attempt. */
export function isCopyOf({ body, sent_at_field: stamped }: OutboxRow, { rawBody }: ReceivedWebhook): boolean {
  if (stamped === null) return rawBody === body;
  const unstamped = (text: string) =>
    JSON.stringify({ ...(JSON.parse(text) as Record<string, unknown>), [stamped]: '' });
  return unstamped(rawBody) === unstamped(body);
}

/** Too many requests, and an expired access token. */
const refusedUnheard = new Set([429, 404]);

/** No payer was prompted twice for one payment; requests that the provider rejected unread do not count. */
async function expectOnePromptEach({ simulatorUrl }: Stack): Promise<void> {
  const prompts = await initiations(simulatorUrl);
  const heard = prompts.filter(({ answer }) => !refusedUnheard.has(answer?.status ?? 0));
  const urls = heard.map(callbackUrlOf);
  expect(urls.filter((url, index) => urls.indexOf(url) !== index)).toEqual([]);
}

export function initiations(simulatorUrl: string): Promise<Exchange[]> {
  return simulatorControl(simulatorUrl, 'stk').exchanges('initiate');
}

/** The address where the provider reports a payment: different for each. */
export function callbackUrlOf({ body }: Exchange): string {
  return String(body['CallBackURL']);
}
