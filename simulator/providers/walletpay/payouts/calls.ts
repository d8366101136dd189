/** The calls about payout batches and their items. */
import type { Request } from 'express';
import type { CallResponse } from '../../../calls';
import { textOf } from '../../../fields';
import { notFound, denial } from '../errors';
import { amountOf } from '../money';
import { simulatorUrlOf } from '../simulator-url';
import type { Batch, Batches } from './batches';
import type { Payouts } from './lifecycle';
import { readPayoutRequest } from './requests';
import { mockBatches, refusingNotes, scenarioOf } from './scenarios';
import { batchLink, createdBatch, wireBatch, wireItem } from './wire';

export interface PayoutCallParts {
  batches: Batches;
  payouts: Payouts;
}

const ok = (json: unknown): CallResponse => ({ status: 200, json });
const idIn = ({ params }: Request) => textOf(params['id']);

export function openPayoutCalls({ batches, payouts }: PayoutCallParts) {
  return {
    async create(request: Request): Promise<CallResponse> {
      const read = readPayoutRequest(request.body);
      if ('refused' in read) return read.refused;
      const { senderBatchId, items } = read.value;
      const refusing = items.flatMap(({ note = '' }) =>
        Object.hasOwn(refusingNotes, note) ? (refusingNotes[note] ?? []) : [],
      )[0];
      if (refusing) return denial(refusing);
      const twin = senderBatchId === undefined ? undefined : batches.findTwin(senderBatchId);
      if (twin) return alreadyExists(twin);
      const batch = await payouts.begin(read.value, simulatorUrlOf(request));
      const isSilent = items.some(({ receiver }) => scenarioOf(receiver).isSilent);
      return isSilent ? { drop: true } : { status: 201, json: createdBatch(batch) };
    },
    query(request: Request): CallResponse {
      const batch = batches.find(idIn(request)) ?? mockBatch(request);
      return batch ? ok(wireBatch(batch)) : notFound();
    },
    queryItem(request: Request): CallResponse {
      const found = batches.findItem(idIn(request));
      return found ? ok(wireItem(found.batch, found.item)) : notFound();
    },
    cancelItem(request: Request): CallResponse {
      const found = batches.findItem(idIn(request));
      if (!found) return notFound();
      if (found.item.isCancelled) return denial('ITEM_ALREADY_CANCELLED');
      if (found.item.status !== 'UNCLAIMED') return denial('ITEM_INCORRECT_STATUS');
      const { batch, item } = payouts.cancel(found);
      return ok(wireItem(batch, item));
    },
  };
}

export type PayoutCalls = ReturnType<typeof openPayoutCalls>;

const alreadyExists = (twin: Batch) =>
  denial('USER_BUSINESS_ERROR', [
    {
      field: 'SENDER_BATCH_ID',
      location: 'body',
      issue: 'Batch with given sender_batch_id already exists',
      link: [batchLink(twin)],
    },
  ]);

function mockBatch(request: Request): Batch | undefined {
  const id = idIn(request);
  const mock = Object.hasOwn(mockBatches, id) ? mockBatches[id] : undefined;
  if (!mock) return undefined;
  const { batch: status, item, error } = mock;
  return {
    id,
    status,
    simulatorUrl: simulatorUrlOf(request),
    items: [
      {
        id: `${id}ITEM`,
        status: item,
        receiver: 'mock@example.com',
        amount: amountOf('USD', 100n),
        ...(error !== undefined && { error }),
      },
    ],
    createdAt: Date.UTC(2026, 0, 5, 9),
  };
}
