/**
 * The fields of every webhook besides its rail's own: the next step, its order among the payment's webhooks, and its
 * types.
 */
export const fieldsOfEveryWebhook = {
  next_step: expect.objectContaining({ safe_to_repeat: expect.any(Boolean) as boolean }) as object,
  sequence: expect.any(Number) as number,
  event_type: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) as string,
  callback_type: expect.stringMatching(/^[A-Z][A-Za-z-]+$/) as string,
};

/** A mobile-money webhook contains the time of the transition, besides the time it was sent. */
export const fieldsOfMomoWebhooks = {
  ...fieldsOfEveryWebhook,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
};
