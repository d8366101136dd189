import type { Client } from '@temporalio/client';
import type { Config } from '../../config';
import type { Database } from '../../store/database';

export interface Patient {
  config: Config;
  db: Database;
  client: Client;
}

/**
 * - ok: as it should be.
 * - attention: works, and somebody should look.
 * - fault: payments fail, or money or its record is in danger.
 */
export type Level = 'ok' | 'attention' | 'fault';

export interface Diagnosis {
  level: Level;
  sentence: string;
}

export interface Checkup {
  name: string;
  examine(patient: Patient): Promise<Diagnosis>;
}

export const ok = (sentence: string): Diagnosis => ({ level: 'ok', sentence });
export const attention = (sentence: string): Diagnosis => ({ level: 'attention', sentence });
export const fault = (sentence: string): Diagnosis => ({ level: 'fault', sentence });

/** What would lose money in live is only worth a word in the sandbox. */
export function faultInLive({ config }: Patient, sentence: string): Diagnosis {
  return config.environment === 'live' ? fault(sentence) : attention(sentence);
}
