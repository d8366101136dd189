/** UTC days as texts such as `2026-01-31`, whose text order is their time order. */
const dayMs = 86_400_000;

export function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The moment at which it begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function dayAfter(day: string): string {
  return utcDay(new Date(startOf(day).getTime() + dayMs));
}

export function dayBefore(day: string): string {
  return utcDay(new Date(startOf(day).getTime() - dayMs));
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const start = startOf(text);
  return !Number.isNaN(start.getTime()) && utcDay(start) === text;
}
