/**
 * Writes a line. Fields are structured, and the logger hides secrets in them. `safe` skips this search: it costs most of
 * the line's time. It is only for fields whose values are our own words, numbers and ids.
 */
type WriteLine = (message: string, fields?: Record<string, unknown>, areFieldsSafe?: 'safe') => void;

/** The log interface of every module. */
export interface Log {
  debug: WriteLine;
  info: WriteLine;
  warn: WriteLine;
  error: WriteLine;
}
