/** The log lines of calls: one for each call when it has ended, and limits that keep a flood from filling the disk. */
import type { Log } from '../domain/log';
import { addressClass } from '../domain/ip-address';
import { clientAddress } from '../merchants/ip-allow-list';
import { healthRoutes } from './health';
import type { RequestContext } from './request-context';

/** For each level, in one process. */
const linesPerSecond = 20;

type Level = keyof Log;

/**
 * Counts lines in each second, and reports the number of dropped lines in a later second.
 * @returns whether the next line of this level may be written.
 */
function lineLimit(log: Log, whatWasDropped: string, now: () => number): (level: Level) => boolean {
  const written: Record<Level, number> = { debug: 0, info: 0, warn: 0, error: 0 };
  let second = 0;
  let dropped = 0;
  return (level) => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      if (dropped > 0) log.warn(`${whatWasDropped}, because there were too many`, { count: dropped });
      Object.assign(written, { debug: 0, info: 0, warn: 0, error: 0 });
      [second, dropped] = [current, 0];
    }
    written[level] += 1;
    if (written[level] <= linesPerSecond) return true;
    dropped += 1;
    return false;
  };
}

/** A log for lines that unauthenticated callers can cause. */
export function sparingLog(log: Log, now: () => number = Date.now): Log {
  const mayWrite = lineLimit(log, 'error responses were not logged', now);
  const sparing =
    (level: Level): Log[Level] =>
    (message, fields) => {
      if (mayWrite(level)) log[level](message, fields);
    };
  return {
    debug: sparing('debug'),
    info: sparing('info'),
    warn: sparing('warn'),
    error: sparing('error'),
  };
}

export interface EndedCall {
  context: RequestContext | undefined;
  method: string;
  /** 499 for a caller that closed the connection early. */
  status: number;
  seconds: number;
  /** Of the connection, which may be closed by now. */
  socketAddress: string | undefined;
  forwardedFor: string | readonly string[] | undefined;
}

const healthPaths = new Set(healthRoutes.map(({ path }) => path));

/**
 * Writes one line about each call of an authenticated caller: the merchant's rate limit bounds their number. Other
 * calls, and calls that were rejected by a limit, get at most twenty lines a second. Calls that were rejected because
 * of load, and unauthenticated ones above their limit, are warnings.
 *
 * Nothing in the line comes from the caller, except a checked request id: the route is as declared, and the address is
 * only a class.
 */
export function createAccessLog(
  log: Log,
  trustedProxies: readonly string[],
  now: () => number = Date.now,
): (call: EndedCall) => void {
  const mayWrite = lineLimit(log, 'requests were not logged', now);
  return ({ context, method, status, seconds, socketAddress, forwardedFor }) => {
    const { route, code, merchantId, rail, isProven = false } = context ?? {};
    const isAboveLimit = code === 'RATE_LIMITED';
    const isTurnedAway = code === 'SERVICE_BUSY' || (isAboveLimit && !isProven);
    const isHealthCheck = healthPaths.has(route ?? '');
    const level = isHealthCheck ? 'debug' : isTurnedAway ? 'warn' : 'info';
    const isBounded = isHealthCheck || (isProven && !isTurnedAway && !isAboveLimit);
    if (!isBounded && !mayWrite(level)) return;
    log[level](
      'request',
      {
        method,
        route: route ?? 'unknown',
        status,
        code,
        merchant_id: merchantId,
        rail,
        duration_ms: Math.round(seconds * 1_000),
        address: addressClass(clientAddress(socketAddress, forwardedFor, trustedProxies)),
      },
      'safe',
    );
  };
}
