/**
 * What the portal asks a worker, because it has no key of a provider (src/secret-files.ts): a workflow passes the
 * question on. It may contain phone numbers, so Temporal has only its encrypted form.
 */

export type ProviderQuestion =
  /** `about` is the rail's own: see `Rail.answer`. */
  | { kind: 'rail'; rail: string; about: unknown }
  /** Fetches and stores the provider's statement of a period. Moments are ISO 8601; the end is exclusive. */
  | { kind: 'statement'; rail: string; from: string; to: string };

/** @returns the answer; undefined if there was none in time. It never throws. */
export type AskWorker = (question: ProviderQuestion) => Promise<unknown>;

export interface EncryptedQuestion {
  rail: string;
  encrypted: string;
  timeoutMs: number;
}

export interface EncryptedAnswer {
  encrypted: string;
}

export interface QuestionActivities {
  answerQuestion(question: EncryptedQuestion): Promise<EncryptedAnswer>;
}

/** The context of the encryption, of questions and answers alike. */
export const questionContext = 'provider-question';
