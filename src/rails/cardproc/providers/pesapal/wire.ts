/** Common traits of all answers of the provider: a 200 may carry an error, and numbers may come as texts. */

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export interface Fault {
  code: string;
  message: string;
}

/** The error in a body. An error whose members are all null is no error; a paid order has such an error. */
export function faultOf(json: unknown): Fault | undefined {
  const { error, status, message } = recordOf(json);
  const inner = recordOf(error);
  const code = textOf(inner['code']);
  const text = textOf(inner['message']);
  if (code !== '' || text !== '') return { code: code === '' ? 'unnamed' : code, message: text };
  if (typeof error === 'string' && error !== '') return { code: 'unnamed', message: error };
  const reported = textOf(status);
  return reported === '' || reported === '200'
    ? undefined
    : { code: `status_${reported}`, message: textOf(message) };
}

/** For the log and the timeline, where `kind` has the rest. */
export function describe({ code, message }: Fault): string {
  return message === '' ? code : `${code}: ${message}`;
}
