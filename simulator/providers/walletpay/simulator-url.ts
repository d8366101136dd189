import type { Request } from 'express';

/** As the caller knows this simulator, so that the pages and links it is given can be reached from there. */
export function simulatorUrlOf(request: Request): string {
  return `${request.protocol}://${request.get('host') ?? ''}`;
}
