/** A finding about the deployment, or about an account at a provider. */

/**
 * - ok: as it should be.
 * - attention: it works, and an operator should check it.
 * - fault: payments fail, or money or its record is in danger.
 */
export type Level = 'ok' | 'attention' | 'fault';

export interface Diagnosis {
  level: Level;
  sentence: string;
  /** Where to correct it: the setting by its name, never its value, or the provider's page. */
  mend?: string;
}

export const ok = (sentence: string): Diagnosis => ({ level: 'ok', sentence });
export const attention = (sentence: string, mend?: string): Diagnosis => told('attention', sentence, mend);
export const fault = (sentence: string, mend?: string): Diagnosis => told('fault', sentence, mend);

function told(level: Level, sentence: string, mend: string | undefined): Diagnosis {
  return { level, sentence, ...(mend !== undefined && { mend }) };
}
