/** What an examination has found: of the deployment, or of an account at a provider. */

/**
 * - ok: as it should be.
 * - attention: works, and somebody should look.
 * - fault: payments fail, or money or its record is in danger.
 */
export type Level = 'ok' | 'attention' | 'fault';

export interface Diagnosis {
  level: Level;
  sentence: string;
  /** Where it is mended: the setting by its name, never its value, or the page of the provider. */
  mend?: string;
}

export const ok = (sentence: string): Diagnosis => ({ level: 'ok', sentence });
export const attention = (sentence: string, mend?: string): Diagnosis => told('attention', sentence, mend);
export const fault = (sentence: string, mend?: string): Diagnosis => told('fault', sentence, mend);

function told(level: Level, sentence: string, mend: string | undefined): Diagnosis {
  return { level, sentence, ...(mend !== undefined && { mend }) };
}
