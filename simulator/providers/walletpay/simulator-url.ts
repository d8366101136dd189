import type { Request } from 'express';

/** As the caller knows this simulator, so that it can reach the pages and links. */
export function simulatorUrlOf(request: Request): string {
  return `${request.protocol}://${request.get('host') ?? ''}`;
}
