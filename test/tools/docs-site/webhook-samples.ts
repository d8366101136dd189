import type { Fence } from './fences';

/** They read a body and its headers, and end with 1 for what is not ours. */
export const isWebhookSample = ({ code }: Pick<Fence, 'code'>) => code.includes('WEBHOOK_SIGNATURE');
