/** The two endpoints by which a rail takes many payouts at once, and tells how they stand. */
import Joi from 'joi';
import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../../domain/errors';
import type { BulkPayoutRow } from '../../../store/tables';
import type { Answer, Call, Endpoint } from '../../rail/endpoint';
import { optionalText, refuse, requiredText } from '../../rail/fields';
import type { RailApi } from '../../rail/rail';
import { orUnknown } from '../../record/refusals';
import type { PaymentDraft } from '../../rail/draft';
import { findBulk } from './accept-bulk';
import { bulkBody, paymentsOf, type BulkWords } from './bulk-status';
import { BulkRows, type Row } from './read-rows';

/** Payouts of one request. */
const rowsMax = 1_000;
/** Bytes: room for a thousand rows with a note each. */
const bodyBytesMax = 1024 * 1024;

export interface BulkOf extends BulkWords {
  rail: string;
  /** Of one row. */
  row: Joi.ObjectSchema;
  /** Called once for each request, and what it returns once for each row. */
  drafting(call: Call): (row: Row) => Promise<PaymentDraft>;
  /** @throws PaymentError for a merchant who may not pay out. */
  mayPayOut?(call: Call): void;
  translateError?: NonNullable<Endpoint['translateError']>;
  /** The rail's form of an answer. */
  envelope(body: Record<string, unknown>, message?: string): Record<string, unknown>;
}

const bulkInput = Joi.object({
  order_id: requiredText(500),
  payouts: Joi.any()
    .required()
    .custom((rows: unknown, helpers) =>
      Array.isArray(rows) && rows.length > 0 && rows.length <= rowsMax
        ? (rows as unknown[])
        : refuse(helpers, `must be a list of 1 to ${String(rowsMax)} payouts`),
    ),
});

const statusInput = Joi.object({
  bulk_id: optionalText(36),
  order_id: optionalText(500),
}).or('bulk_id', 'order_id');

/** `POST` and `GET /api/v1/<rail>/bulk_payout`. Keys come in the headers, so that a large body is read of nobody else. */
export function bulkEndpoints(api: RailApi, of: BulkOf): Endpoint[] {
  const { rail, envelope, translateError } = of;
  const common = {
    path: `/api/v1/${rail}/bulk_payout`,
    access: 'headers',
    rateLimit: 'api',
    ...(translateError && { translateError }),
  } as const;
  const answer = async (bulk: BulkPayoutRow, message?: string) => ({
    status: 200,
    body: envelope(bulkBody(bulk, await paymentsOf(api.db, bulk), of), message),
  });
  const orderOf = ({ input }: Call) => ({ rail, orderId: String(input['order_id']) });

  return [
    {
      ...common,
      method: 'POST',
      starts: true,
      bodyBytesMax,
      input: bulkInput,
      isRepeated: async (call) => (await findBulk(api.db, call, orderOf(call))) !== undefined,
      async handle(call) {
        of.mayPayOut?.(call);
        const rows = BulkRows.read(call.input['payouts'] as unknown[], of.row);
        const drafts = () => rows.drafts(of.drafting(call));
        // Rows that are wrong in themselves were never taken: what they are named by may stand for others.
        const request = { ...orderOf(call), body: rows.areValid ? rows.text : '', drafts };
        return notNothing(async (told) => {
          const bulk = await api.acceptBulk(call, request);
          told['bulk_id'] = bulk.bulk_id;
          return answer(bulk, 'Payouts accepted. The outcome of each follows by callback');
        });
      },
    },
    {
      ...common,
      method: 'GET',
      starts: false,
      input: statusInput,
      async handle(call) {
        const { bulk_id: bulkId, order_id: orderId } = call.input as Record<string, string | undefined>;
        const bulk =
          bulkId === undefined
            ? await findBulk(api.db, call, { rail, orderId: orderId ?? '' })
            : await ownBulk(api, call, { rail, bulkId });
        if (!bulk || (orderId !== undefined && bulk.order_id !== orderId)) {
          throw new PaymentError('PAYMENT_NOT_FOUND');
        }
        return answer(bulk);
      },
    },
  ];
}

/** Once a bulk may have been taken, now or by an earlier request, a lost database leaves that open. */
async function notNothing(work: (told: Record<string, string>) => Promise<Answer>): Promise<Answer> {
  const told: Record<string, string> = {};
  try {
    return await work(told);
  } catch (error) {
    throw orUnknown(error, told);
  }
}

async function ownBulk(
  { db }: RailApi,
  { merchant: { merchant_id } }: Call,
  { rail, bulkId }: { rail: string; bulkId: string },
): Promise<BulkPayoutRow | undefined> {
  if (!isUuid(bulkId)) return undefined;
  return db('bulk_payouts').where({ bulk_id: bulkId, merchant_id, rail }).first();
}
