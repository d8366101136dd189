import type { Fence } from './fences';

/** They read a body and its headers, and exit with 1 for a forged webhook. */
export const isWebhookSample = ({ code }: Pick<Fence, 'code'>) => code.includes('WEBHOOK_SIGNATURE');
