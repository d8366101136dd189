/** `request` of undici for the API, with the same check of answers against the description as for `fetch`. */
import { request as plainRequest } from 'undici';
import { refuseUndescribed } from './described-answers';

type Options = NonNullable<Parameters<typeof plainRequest>[1]>;

export async function request(
  url: string,
  options: Options = {},
): Promise<{ statusCode: number; text: string }> {
  const { statusCode, headers, body } = await plainRequest(url, options);
  const text = await body.text();
  await refuseUndescribed(url, {
    method: options.method ?? 'GET',
    status: statusCode,
    header: (name) => [headers[name.toLowerCase()] ?? []].flat()[0] ?? null,
    text: () => Promise.resolve(text),
  });
  return { statusCode, text };
}
