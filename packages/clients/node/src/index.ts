export { createMalipo, type CallOptions, type Malipo, type Settings } from './client.js';
export { OutcomeUnknownError, RefusedError, WebhookError } from './errors.js';
export { eventPages } from './event-pages.js';
export type * from './operations.js';
export { isLater, sequenceOf } from './sequence.js';
export { verifyWebhook, type Webhook, type WebhookHeaders } from './webhooks.js';
