/** What every webhook has beside its rail's own fields: what to do next, its order among the payment's, and its types. */
export const fieldsOfEveryWebhook = {
  next_step: expect.objectContaining({ safe_to_repeat: expect.any(Boolean) as boolean }) as object,
  sequence: expect.any(Number) as number,
  event_type: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) as string,
  callback_type: expect.stringMatching(/^[A-Z][A-Za-z-]+$/) as string,
};

/** A mobile-money webhook says when the change was, beside when it was sent. */
export const fieldsOfMomoWebhooks = {
  ...fieldsOfEveryWebhook,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
};
