import { PaymentError } from '../domain/errors';
import { isForbiddenKey } from './json-scan';

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PaymentError('INVALID_QUERY', { message: 'The query is not valid percent-encoded UTF-8' });
  }
}

/**
 * Reads the query of a request target. Every parameter is one text: parsers that turn a repeated parameter into a
 * list let a caller say two things at once.
 * @throws PaymentError INVALID_QUERY
 */
export function readQuery(target: string): Record<string, string> {
  const start = target.indexOf('?');
  const query: Record<string, string> = {};
  if (start === -1) return query;
  for (const pair of target.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const key = decode(name);
    if (isForbiddenKey(key)) throw new PaymentError('INVALID_QUERY');
    if (Object.hasOwn(query, key)) {
      // Unnamed: the caller chose the name, and it may be anything.
      throw new PaymentError('INVALID_QUERY', { message: 'The query has the same parameter twice' });
    }
    query[key] = decode(value.join('='));
  }
  return query;
}
