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
  remedy?: string;
}

export const ok = (sentence: string): Diagnosis => ({ level: 'ok', sentence });
export const attention = (sentence: string, remedy?: string): Diagnosis =>
  diagnosisOf('attention', sentence, remedy);
export const fault = (sentence: string, remedy?: string): Diagnosis => diagnosisOf('fault', sentence, remedy);

function diagnosisOf(level: Level, sentence: string, remedy: string | undefined): Diagnosis {
  return { level, sentence, ...(remedy !== undefined && { remedy }) };
}
