/** `malipo logs`: lists a merchant's own requests and the answers of the API. */
import { table } from '../../src/cli/table';
import type { Io, Report } from './answers';
import { merchantApi, taken } from './merchant-api';
import { readProfile } from './profile';

export interface LogsOptions {
  profile: string;
  refused?: true;
  code?: string;
  request?: string;
  /** The highest number of requests; 50 by default. */
  limit?: number;
}

interface ShownRequest {
  at: string;
  request_id: string;
  method: string;
  path: string;
  status: number;
  code: string | null;
  duration_ms: number;
}

const pageMax = 100;

export async function logs(
  io: Io,
  { profile, refused, code, request, limit = 50 }: LogsOptions,
): Promise<Report> {
  const api = merchantApi(await readProfile(io, profile));
  const shown: ShownRequest[] = [];
  let cursor: string | null | undefined;
  do {
    const page = taken(
      await api.get('/api/v1/requests', {
        result: refused ? 'refused' : undefined,
        code,
        request_id: request,
        limit: String(Math.min(pageMax, limit - shown.length)),
        cursor: cursor ?? undefined,
      }),
    );
    const reported = page['requests'] as (Omit<ShownRequest, 'status' | 'duration_ms'> &
      Record<'status' | 'duration_ms', unknown>)[];
    // The parser returns numbers with their original digits, not as `number`.
    shown.push(
      ...reported.map((one) => ({
        ...one,
        status: Number(one.status),
        duration_ms: Number(one.duration_ms),
      })),
    );
    cursor = page['next_cursor'] as string | null;
  } while (cursor !== null && shown.length < limit);
  const rows = shown.map((one) => [
    one.at,
    String(one.status),
    one.method,
    one.path,
    one.code ?? '',
    `${String(one.duration_ms)} ms`,
    one.request_id,
  ]);
  const text =
    rows.length === 0
      ? 'There is no such request in the last 7 days.'
      : table(['at', 'status', 'method', 'path', 'code', 'took', 'request id'], rows);
  return { text, json: shown };
}
