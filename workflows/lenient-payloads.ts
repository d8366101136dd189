import { defaultPayloadConverter, type PayloadConverter } from '@temporalio/common';

/**
 * Reads a signal or update that anybody can send in the Temporal UI. The SDK decodes it before its handler runs, and an
 * unknown encoding or broken JSON would fail every further task of the payment. It reads as undefined instead: no signal
 * of ours carries data, and every update checks its arguments.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload(payload) {
    try {
      return defaultPayloadConverter.fromPayload(payload);
    } catch {
      return undefined as never;
    }
  },
};
