/** Each form of a page that changes something has a number of its own: whatever it asks for is done once. */
import { v7 as uuid, validate as isUuid } from 'uuid';
import type { Visit } from './visit';

const field = 'once';

export const formNumberField = (): string => `<input type="hidden" name="${field}" value="${uuid()}">`;

/** Of the form that was sent; undefined for one without. */
export function formNumberOf({ form }: Pick<Visit, 'form'>): string | undefined {
  const sent = form(field);
  return isUuid(sent) ? sent : undefined;
}
