/** The two endpoints with which a rail accepts many payouts at once and reports their status. */
import Joi from 'joi';
import { validate as isUuid } from 'uuid';
import { PaymentError } from '../../../domain/errors';
import { noted, type EndpointDescription } from '../../../rail-kit/description';
import type { PaymentDraft } from '../../../rail-kit/draft';
import type { EndpointResponse, Call, Endpoint } from '../../../rail-kit/endpoint';
import { leaveMembers, optionalText, orderIdText, refuse } from '../../../rail-kit/fields';
import { jsonSchemaOf, errorCodesOfSchema } from '../../../rail-kit/json-schema';
import type { ManyPayouts, PayingOut, RailApi } from '../../../rail-kit/rail';
import type { Database } from '../../../store/database';
import type { BulkPayoutRow } from '../../../store/tables';
import { orUnknown } from '../../read/creation-errors';
import { findBulk } from './create-bulk';
import { bulkBody, paymentsOf, rowsMax, type BulkWords } from './bulk-status';
import { BulkRows, type Row } from './read-rows';

/** In bytes: a thousand rows with a note each fit. */
const bodyBytesMax = 1024 * 1024;

export interface BulkOf extends BulkWords {
  rail: string;
  /** The schema of one row. */
  row: Joi.ObjectSchema;
  /** Called once per request. The function it returns is called once per row. */
  drafting(call: Call): (row: Row) => Promise<PaymentDraft>;
  /** @throws PaymentError for a merchant who may not pay out. */
  mayPayOut?(call: Call): void;
  translateError?: NonNullable<Endpoint['translateError']>;
  /** What the API description says about the answer, and the refusal codes of one row. */
  about: Pick<EndpointDescription, 'answer' | 'errors'>;
  /** The rail's form of an answer. */
  envelope(body: Record<string, unknown>, message?: string): Record<string, unknown>;
}

const orderId =
  'Your id of the bulk. A repeat with the same order_id and the same rows gets its current state';

const bulkInput = (row: Joi.ObjectSchema) =>
  Joi.object({
    order_id: orderIdText(orderId, 'PAYROLL-2026-01'),
    payouts: Joi.any()
      .required()
      .meta(
        noted(
          { type: 'array', minItems: 1, maxItems: rowsMax, items: jsonSchemaOf(row) },
          errorCodesOfSchema(row),
        ),
      )
      .description('The payouts, with the fields of a single payout. Either all or none are created')
      .custom((rows: unknown, helpers) =>
        Array.isArray(rows) && rows.length > 0 && rows.length <= rowsMax
          ? leaveMembers(rows)
          : refuse(helpers, `must be a list of 1 to ${String(rowsMax)} payouts`),
      ),
  });

const statusInput = Joi.object({
  bulk_id: optionalText(36)
    .description('The bulk, from the answer to its request')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
  order_id: optionalText(500, 'known').description('Or your order_id').example('PAYROLL-2026-01'),
}).or('bulk_id', 'order_id');

/** The field that names an existing bulk, in a refusal or where the bulk's result is unknown. */
const errorFields = {
  bulk_id: Joi.string()
    .description('The bulk that this error concerns, if there is one')
    .example('01890a5d-ac96-774b-bcce-b302099a8057'),
};

/**
 * `POST` and `GET /api/v1/<rail>/bulk_payout`. Keys come in the headers, so that the server reads a large body only
 * of a known merchant.
 */
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
  const { answer: reported, errors } = of.about;

  return [
    {
      ...common,
      method: 'POST',
      scope: 'payout',
      starts: true,
      bodyBytesMax,
      input: bulkInput(of.row),
      about: {
        id: `${rail}BulkPayout`,
        summary: 'Create up to 1,000 payouts at once, all or none',
        details: 'Each row becomes a normal payout, with its own callback, status and outcome',
        answer: reported,
        errors: [...errors, 'ORDER_ID_REUSED'],
        problemFields: errorFields,
      },
      isRepeated: async (call) => (await findBulk(api.db, call, orderOf(call))) !== undefined,
      async handle(call) {
        const { orderId } = orderOf(call);
        const rows = call.input['payouts'] as unknown[];
        return notNothing(async (reported) => {
          const bulk = await payOutMany(api, of, call, { orderId, rows });
          reported['bulk_id'] = bulk.bulk_id;
          return answer(bulk, 'Payouts accepted. A callback reports the outcome of each');
        });
      },
    },
    {
      ...common,
      method: 'GET',
      scope: 'read',
      starts: false,
      input: statusInput,
      about: {
        id: `${rail}BulkPayoutStatus`,
        summary: 'Get the status of a bulk, with totals',
        details: 'Requires `bulk_id` or `order_id`',
        answer: reported,
        errors: ['PAYMENT_NOT_FOUND'],
      },
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

/** A bulk may exist, from this request or an earlier one. A database error therefore leaves the result unknown. */
async function notNothing(
  work: (reported: Record<string, string>) => Promise<EndpointResponse>,
): Promise<EndpointResponse> {
  const reported: Record<string, string> = {};
  try {
    return await work(reported);
  } catch (error) {
    throw orUnknown(error, reported);
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

// The only way to create many payouts, for the rail's endpoint and for any other caller that acts for a merchant.

/** @throws PaymentError for a merchant who may not pay out, and as {@link PayingOut.accept} does. */
async function payOutMany(
  api: Pick<RailApi, 'acceptBulk'>,
  of: BulkOf,
  call: Call,
  { orderId, rows: sent, alongside }: Omit<ManyPayouts, 'rows'> & { rows: readonly unknown[] },
): Promise<BulkPayoutRow> {
  of.mayPayOut?.(call);
  const rows = BulkRows.read(sent, of.row);
  return api.acceptBulk(call, {
    rail: of.rail,
    orderId,
    // Invalid rows were never accepted, so their references may belong to other payments.
    body: rows.areValid ? rows.text : '',
    drafts: () => rows.drafts(of.drafting(call)),
    ...(alongside && { alongside }),
  });
}

/** @param bulkOf as the rail's own endpoint has it. */
export function payingOut(bulkOf: (db: Database) => BulkOf): PayingOut {
  return {
    async check({ db }, asking, sent) {
      const of = bulkOf(db);
      const call = { ...asking, input: {} };
      of.mayPayOut?.(call);
      return BulkRows.read(sent, of.row).faultsOf(of.drafting(call));
    },
    accept: (api, asking, many) => payOutMany(api, bulkOf(api.db), { ...asking, input: {} }, many),
  };
}
